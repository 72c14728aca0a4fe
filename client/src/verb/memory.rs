//! `ccctl memory`.

use super::file;
use crate::args::{MemoryProjectArgs, MemorySaveArgs, MemoryVerb};
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::memory::{
    MemoryGet, MemoryLoad, MemoryLoadParams, MemoryParams, MemorySave, MemorySaveParams,
    MemoryStatus, MemoryValidate, MemoryValidateParams, SessionMemory,
};
use std::path::Path;

/// Carries out a command of `ccctl memory`.
///
/// # Errors
///
/// Errors of the call and of the output.
pub(crate) fn dispatch(verb: &MemoryVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        MemoryVerb::Save(args) => save(args, context),
        MemoryVerb::Show(args) => {
            let answer = context.call::<MemoryGet>(&params(args)?)?;
            context.warn(&answer.value.warnings);
            context.print(&answer, render::memory)
        }
        MemoryVerb::Validate { file } => validate(file, context),
        MemoryVerb::Load(args) => {
            let MemoryParams { project } = params(args)?;
            let load = MemoryLoadParams {
                project,
                short: false,
            };
            context.show::<MemoryLoad>(&load, |reply, out, _| write!(out, "{}", reply.digest))
        }
        MemoryVerb::Status(args) => context
            .show::<MemoryStatus>(&params(args)?, |reply, out, _| {
                render::memory_status(reply, out)
            }),
    }
}

fn params(args: &MemoryProjectArgs) -> Result<MemoryParams, Failure> {
    let given = args.project.as_deref().unwrap_or(".");
    Ok(MemoryParams {
        project: caller::absolute(Path::new(given))?,
    })
}

fn save(args: &MemorySaveArgs, context: &mut Context) -> Result<Exit, Failure> {
    let MemoryParams { project } = params(&args.project)?;
    let memory = args.from.as_deref().map(given).transpose()?;
    let answer = context.call::<MemorySave>(&MemorySaveParams { project, memory })?;
    context.warn(&answer.value.warnings);
    context.print(&answer, |reply, out, _| render::memory_saved(reply, out))
}

fn given(path: &Path) -> Result<SessionMemory, Failure> {
    let text = file::read_text(path)?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::Usage(format!("{}: not a session memory: {error}", path.display()))
    })
}

fn validate(path: &Path, context: &mut Context) -> Result<Exit, Failure> {
    let content = Some(file::read_text(path)?);
    let answer = context.call::<MemoryValidate>(&MemoryValidateParams {
        path: None,
        content,
    })?;
    context.warn(&answer.value.warnings);
    context.print(&answer, |reply, out, _| match reply.valid {
        true => writeln!(out, "valid"),
        false => reply
            .errors
            .iter()
            .try_for_each(|error| writeln!(out, "{error}")),
    })?;
    Ok(if answer.value.valid {
        Exit::Done
    } else {
        Exit::Failed
    })
}
