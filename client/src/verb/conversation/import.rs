//! `ccctl conversation import`.

use crate::render::filled;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::Method as _;
use ccd_protocol::conversation::{ConversationImport, ConversationImportParams};
use std::path::Path;

/// Imports the files, one after the other. One that the daemon refuses does not hold up the others.
pub(super) fn import(files: &[String], context: &mut Context) -> Result<Exit, Failure> {
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

fn import_one(file: &str, context: &mut Context) -> Result<(), Failure> {
    let params = ConversationImportParams {
        file: caller::absolute(Path::new(file))?,
    };
    let answer = context.fetch(ConversationImport::NAME, &params)?;
    let skipped = filled(
        "[{skipped_lines?}{skipped_lines:count line} skipped]",
        &answer.value,
    );
    if !skipped.is_empty() {
        context.remark(&format!("{file}: {skipped}"));
    }
    context.print_as(ConversationImport::NAME, &answer)?;
    Ok(())
}
