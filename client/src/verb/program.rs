//! `ccctl program`.

use super::file::read;
use crate::args::{ProgramVerb, SaveArgs, params};
use crate::{Context, Exit, Failure, render};
use ccd_protocol::NoParams;
use ccd_protocol::program::{
    ProgramDelete, ProgramGet, ProgramList, ProgramParams, ProgramSave, ProgramSaveParams,
};
use serde_json::Value;
use std::path::Path;

/// Longest document, in bytes; the daemon accepts none that is longer.
const MAX_FILE_BYTES: u64 = 4 << 20;

pub(crate) fn dispatch(verb: &ProgramVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        ProgramVerb::List => {
            let nothing = "no program configurations; ccctl program save makes one of a session";
            context.list::<ProgramList, _>(
                &NoParams {},
                |reply| &reply.programs,
                render::PROGRAMS,
                nothing,
            )
        }
        ProgramVerb::Get { name } => {
            let name = name.clone();
            context.show::<ProgramGet>(&ProgramParams { name }, render::program)
        }
        ProgramVerb::Save(args) => save(args, context),
        ProgramVerb::Delete { name } => {
            let name = name.clone();
            context.show::<ProgramDelete>(&ProgramParams { name }, |_, _| Ok(()))
        }
    }
}

fn save(args: &SaveArgs, context: &mut Context) -> Result<Exit, Failure> {
    let config = args.file.as_deref().map(document).transpose()?;
    let answer = context
        .call::<ProgramSave>(&params!(ProgramSaveParams { name, session, force } of args,
        config))?;
    let reply = &answer.value;
    context.warn(&reply.warnings);
    if reply.replaced {
        context.note("the existing configuration of this name was overwritten");
    }
    context.print(&answer, |reply, out| writeln!(out, "{}", reply.path))
}

/// Reads the document in a file, or `-` for standard input.
fn document(path: &str) -> Result<Value, Failure> {
    serde_json::from_slice(&read(Path::new(path), MAX_FILE_BYTES)?)
        .map_err(|error| Failure::Usage(format!("{path} is not JSON: {error}")))
}
