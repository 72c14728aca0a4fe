//! `ccctl conversation import`.

use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::conversation::{ConversationImport, ConversationImportParams};
use std::path::PathBuf;

/// Imports the files, one after the other; the first that cannot be imported ends the command.
pub(super) fn import(files: &[PathBuf], context: &mut Context) -> Result<Exit, Failure> {
    for file in files {
        let params = ConversationImportParams {
            file: caller::absolute(file)?,
        };
        let answer = context.call::<ConversationImport>(&params)?;
        if answer.value.skipped_lines > 0 && !context.global.json {
            let lines = render::counted(answer.value.skipped_lines, "line");
            context.note(&format!("{}: {lines} skipped", file.display()));
        }
        context.print(&answer, render::imported)?;
    }
    Ok(Exit::Done)
}
