//! `ccctl memory`.

use super::file;
use crate::args::{MemoryLinkArgs, MemoryProjectArgs, MemorySaveArgs, MemoryVerb};
use crate::context::{confirm, is_at_terminal};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::Method as _;
use ccd_protocol::memory::place::find;
use ccd_protocol::memory::{
    MemoryGet, MemoryLink, MemoryLinkParams, MemoryLoad, MemoryLoadParams, MemoryParams,
    MemorySave, MemoryStatus, MemoryValidate, MemoryValidateParams,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(crate) fn dispatch(verb: &MemoryVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        MemoryVerb::Save(args) => save(args, context),
        MemoryVerb::Show(args) => {
            let answer = context.fetch::<MemoryGet>(&params(args)?)?;
            context.print(&answer, render::memory)
        }
        MemoryVerb::Validate { file } => validate(file, context),
        MemoryVerb::Load(args) => {
            let MemoryParams { project } = params(args)?;
            let load = MemoryLoadParams {
                project,
                short: false,
            };
            let answer = context.fetch::<MemoryLoad>(&load)?;
            context.print(&answer, |reply, out| {
                write!(out, "{}", render::readable(reply.text("digest")))
            })
        }
        MemoryVerb::Status(args) => context.show::<MemoryStatus>(&params(args)?),
        MemoryVerb::Link(args) => link(args, context),
    }
}

fn params(args: &MemoryProjectArgs) -> Result<MemoryParams, Failure> {
    let given = args.project.as_deref();
    let directory = caller::absolute(Path::new(given.unwrap_or(".")))?;
    Ok(MemoryParams {
        project: match given {
            Some(_) => directory,
            None => around(directory),
        },
    })
}

/// Returns the project that the directory is in, as hooks find it, or the directory if it is in none.
fn around(directory: String) -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let place = find(Path::new(&directory), home.as_deref());
    let root = place.and_then(|place| place.root.into_os_string().into_string().ok());
    root.unwrap_or(directory)
}

fn save(args: &MemorySaveArgs, context: &mut Context) -> Result<Exit, Failure> {
    let MemoryParams { project } = params(&args.project)?;
    let memory = args.from.as_deref().map(given).transpose()?;
    let params = json!({"project": project, "memory": memory});
    let answer = context.fetch_by_name(MemorySave::NAME, &params)?;
    context.print_as(MemorySave::NAME, &answer)
}

/// Shows the change of CLAUDE.md, and makes it after a yes.
fn link(args: &MemoryLinkArgs, context: &mut Context) -> Result<Exit, Failure> {
    let MemoryParams { project } = params(&args.project)?;
    let params = |write: bool| MemoryLinkParams {
        project: project.clone(),
        write,
    };
    let answer = context.fetch::<MemoryLink>(&params(args.yes))?;
    let is_open = answer.value.has("diff");
    let file = render::printable(answer.value.text("file"));
    context.print(&answer, |reply, out| {
        if is_open {
            return render::patch(reply.text("diff"), out);
        }
        writeln!(out, "{file} imports the memory already")
    })?;
    if !is_open {
        return Ok(Exit::Done);
    }
    if !args.yes {
        if !is_at_terminal() || context.global.json {
            context.note("nothing was changed; --yes makes the change");
            return Ok(Exit::Done);
        }
        if !confirm(&format!("change {file}?")) {
            context.note("nothing was changed");
            return Ok(Exit::Done);
        }
        context.fetch::<MemoryLink>(&params(true))?;
    }
    context.note(&format!("changed {file}"));
    Ok(Exit::Done)
}

/// Reads a memory, which the daemon checks.
fn given(path: &Path) -> Result<Value, Failure> {
    serde_json::from_str(&file::read_text(path)?).map_err(|error| {
        Failure::Usage(format!("{}: not a session memory: {error}", path.display()))
    })
}

fn validate(path: &Path, context: &mut Context) -> Result<Exit, Failure> {
    let content = Some(file::read_text(path)?);
    let params = MemoryValidateParams {
        path: None,
        content,
    };
    let answer = context.fetch::<MemoryValidate>(&params)?;
    context.print_as(MemoryValidate::NAME, &answer)?;
    Ok(Exit::of_success(answer.value.has("valid")))
}
