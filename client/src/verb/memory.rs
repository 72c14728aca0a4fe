//! `ccctl memory`.

use super::file;
use crate::args::{MemoryLinkArgs, MemoryProjectArgs, MemorySaveArgs, MemoryVerb};
use crate::context::{confirm, is_at_terminal};
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::memory::place::find;
use ccd_protocol::memory::{
    MemoryGet, MemoryLink, MemoryLinkParams, MemoryLoad, MemoryLoadParams, MemoryParams,
    MemorySave, MemorySaveParams, MemoryStatus, MemoryValidate, MemoryValidateParams,
    SessionMemory,
};
use std::path::{Path, PathBuf};

pub(crate) fn dispatch(verb: &MemoryVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        MemoryVerb::Save(args) => save(args, context),
        MemoryVerb::Show(args) => {
            let answer = context.call::<MemoryGet>(&params(args)?)?;
            context.print(&answer, render::memory)
        }
        MemoryVerb::Validate { file } => validate(file, context),
        MemoryVerb::Load(args) => {
            let MemoryParams { project } = params(args)?;
            let load = MemoryLoadParams {
                project,
                short: false,
            };
            context.show::<MemoryLoad>(&load, |reply, out| {
                write!(out, "{}", render::readable(&reply.digest))
            })
        }
        MemoryVerb::Status(args) => {
            context.show::<MemoryStatus>(&params(args)?, render::memory_status)
        }
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
    let answer = context.call::<MemorySave>(&MemorySaveParams { project, memory })?;
    context.warn(&answer.value.warnings);
    context.print(&answer, render::memory_saved)
}

/// Shows the change of CLAUDE.md, and makes it after a yes.
fn link(args: &MemoryLinkArgs, context: &mut Context) -> Result<Exit, Failure> {
    let MemoryParams { project } = params(&args.project)?;
    let params = |write: bool| MemoryLinkParams {
        project: project.clone(),
        write,
    };
    let answer = context.call::<MemoryLink>(&params(args.yes))?;
    let (file, is_open) = (&answer.value.file, !answer.value.diff.is_empty());
    let file = render::printable(file);
    context.print(&answer, |reply, out| {
        if reply.diff.is_empty() {
            return writeln!(out, "{file} imports the memory already");
        }
        render::patch(&reply.diff, out)
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
        context.call::<MemoryLink>(&params(true))?;
    }
    context.note(&format!("changed {file}"));
    Ok(Exit::Done)
}

fn given(path: &Path) -> Result<SessionMemory, Failure> {
    let text = file::read_text(path)?;
    serde_json::from_str(&text).map_err(|error| {
        let error = plain(&error.to_string());
        Failure::Usage(format!("{}: not a session memory: {error}", path.display()))
    })
}

/// Returns an error about JSON without the names of types in this program.
fn plain(error: &str) -> String {
    match (
        error.split_once(", expected "),
        error.rsplit_once(" at line "),
    ) {
        (Some((what, _)), Some((_, place))) if what.starts_with("invalid type") => {
            format!("{what} at line {place}; ccctl memory show --json prints one that is valid")
        }
        _ => error.to_owned(),
    }
}

fn validate(path: &Path, context: &mut Context) -> Result<Exit, Failure> {
    let content = Some(file::read_text(path)?);
    let answer = context.call::<MemoryValidate>(&MemoryValidateParams {
        path: None,
        content,
    })?;
    context.warn(&answer.value.warnings);
    context.print(&answer, |reply, out| {
        if reply.valid {
            writeln!(out, "valid")
        } else {
            reply
                .errors
                .iter()
                .try_for_each(|error| writeln!(out, "{error}"))
        }
    })?;
    Ok(Exit::of_success(answer.value.valid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_a_wrong_type_is_named_without_words_of_this_program() {
        let json = "{\"metadata\": 5}";
        let error = serde_json::from_str::<SessionMemory>(json).unwrap_err();
        let text = plain(&error.to_string());
        assert!(
            text.starts_with("invalid type: integer `5` at line 1"),
            "{text}"
        );
        assert!(!text.contains("struct"), "{text}");
    }
}
