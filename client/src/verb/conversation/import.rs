//! `ccctl conversation import`.

use crate::{Context, Exit, Failure, caller};
use serde_json::json;
use std::path::Path;

/// Imports the files, one after the other. One that the daemon refuses does not hold up the others.
pub(super) fn import(files: &[String], context: &mut Context) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    for file in files {
        let absolute = caller::absolute(Path::new(file))?;
        let params = json!({"file": absolute});
        let imported = context.fetch("conversation.import", &params);
        match imported {
            Err(failure @ Failure::Refused { .. }) if files.len() > 1 => {
                context.report(&failure);
                exit = Exit::Failed;
            }
            answer => {
                let (mut answer, named) = (answer?, json!({"file": file}));
                context.print_given("conversation.import", &mut answer, &named)?;
            }
        }
    }
    Ok(exit)
}
