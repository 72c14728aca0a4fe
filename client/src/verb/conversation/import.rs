//! `ccctl conversation import`.

use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::conversation::{ConversationImport, ConversationImportParams};
use std::path::{Path, PathBuf};

/// Imports the files, one after the other. One that the daemon refuses does not hold up the others.
pub(super) fn import(files: &[PathBuf], context: &mut Context) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    for file in files {
        match import_one(file, context) {
            Err(failure @ Failure::Refused { .. }) if files.len() > 1 => {
                context.report(&failure);
                exit = Exit::Failed;
            }
            imported => imported?,
        }
    }
    Ok(exit)
}

fn import_one(file: &Path, context: &mut Context) -> Result<(), Failure> {
    let params = ConversationImportParams {
        file: caller::absolute(file)?,
    };
    let answer = context.call::<ConversationImport>(&params)?;
    if answer.value.skipped_lines > 0 {
        let lines = render::counted(answer.value.skipped_lines, "line");
        context.remark(&format!("{}: {lines} skipped", file.display()));
    }
    context.print(&answer, render::imported)?;
    Ok(())
}
