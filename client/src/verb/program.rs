//! `ccctl program`.

use super::file::read;
use crate::args::{ProgramVerb, SaveArgs, params};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure};
use ccd_protocol::program::{
    ProgramDelete, ProgramGet, ProgramList, ProgramParams, ProgramSave, ProgramSaveParams,
};
use ccd_protocol::{Method as _, NoParams};
use serde_json::Value;
use std::path::Path;

/// Longest document, in bytes; the daemon accepts none that is longer.
const MAX_FILE_BYTES: u64 = 4 << 20;

pub(crate) fn dispatch(verb: &ProgramVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        ProgramVerb::List => context.show::<ProgramList>(&NoParams {}),
        ProgramVerb::Get { name } => {
            let name = name.clone();
            context.show::<ProgramGet>(&ProgramParams { name })
        }
        ProgramVerb::Save(args) => save(args, context),
        ProgramVerb::Delete { name } => {
            let name = name.clone();
            context.show::<ProgramDelete>(&ProgramParams { name })
        }
    }
}

fn save(args: &SaveArgs, context: &mut Context) -> Result<Exit, Failure> {
    let config = args.file.as_deref().map(document).transpose()?;
    let params = params!(ProgramSaveParams { name, session, force } of args, config);
    let answer = context.fetch::<ProgramSave>(&params)?;
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
