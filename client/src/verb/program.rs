//! `ccctl program`.

use super::file::read;
use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure};
use ccd_protocol::Method as _;
use ccd_protocol::program::ProgramSave;
use serde_json::{Value, json};
use std::path::Path;

/// Longest document, in bytes; the daemon accepts none that is longer.
const MAX_FILE_BYTES: u64 = 4 << 20;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    if verb != "save" {
        return context.carry_out(args);
    }
    let mut params = args.params();
    if let Some(file) = args.word("file") {
        params =
            json!({"name": args.at("name"), "force": args.at("force"), "config": document(file)?});
    }
    let answer = context.fetch(ProgramSave::NAME, &params)?;
    context.print_as(ProgramSave::NAME, &answer)?;
    if answer.value.has("replaced") {
        context.note("the existing configuration of this name was overwritten");
    }
    Ok(Exit::Done)
}

/// Reads the document in a file, or `-` for standard input.
fn document(path: &str) -> Result<Value, Failure> {
    serde_json::from_slice(&read(Path::new(path), MAX_FILE_BYTES)?)
        .map_err(|error| Failure::Usage(format!("{path} is not JSON: {error}")))
}
