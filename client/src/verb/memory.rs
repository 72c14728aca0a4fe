//! `ccctl memory`.

use super::file;
use crate::args::Given;
use crate::context::{confirm, is_at_terminal};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::Method as _;
use ccd_protocol::memory::place::find;
use ccd_protocol::memory::{
    MemoryGet, MemoryLink, MemoryLoad, MemorySave, MemoryStatus, MemoryValidate,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "save" => save(args, context),
        "show" => {
            let answer = context.fetch(MemoryGet::NAME, &params(args)?)?;
            context.print(&answer, render::memory)
        }
        "validate" => validate(Path::new(args.text("file")), context),
        "load" => {
            let answer = context.fetch(MemoryLoad::NAME, &params(args)?)?;
            context.print(&answer, |reply, out| {
                write!(out, "{}", render::readable(reply.text("digest")))
            })
        }
        "status" => context.show(MemoryStatus::NAME, &params(args)?),
        _ => link(args, context),
    }
}

fn params(args: &Given) -> Result<Value, Failure> {
    let given = args.word("project");
    let directory = caller::absolute(Path::new(given.unwrap_or(".")))?;
    let project = match given {
        Some(_) => directory,
        None => around(directory),
    };
    Ok(json!({ "project": project }))
}

/// Returns the project that the directory is in, as hooks find it, or the directory if it is in none.
fn around(directory: String) -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let place = find(Path::new(&directory), home.as_deref());
    let root = place.and_then(|place| place.root.into_os_string().into_string().ok());
    root.unwrap_or(directory)
}

fn save(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = params(args)?;
    if let Some(file) = args.path("from") {
        params["memory"] = given(file)?;
    }
    context.show(MemorySave::NAME, &params)
}

/// Shows the change of CLAUDE.md, and makes it after a yes.
fn link(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = params(args)?;
    params["write"] = args.has("yes").into();
    let answer = context.fetch(MemoryLink::NAME, &params)?;
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
    if !args.has("yes") {
        if !is_at_terminal() || context.global.json {
            context.note("nothing was changed; --yes makes the change");
            return Ok(Exit::Done);
        }
        if !confirm(&format!("change {file}?")) {
            context.note("nothing was changed");
            return Ok(Exit::Done);
        }
        params["write"] = true.into();
        context.fetch(MemoryLink::NAME, &params)?;
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
    let params = json!({"content": file::read_text(path)?});
    let answer = context.fetch(MemoryValidate::NAME, &params)?;
    context.print_as(MemoryValidate::NAME, &answer)?;
    Ok(Exit::of_success(answer.value.has("valid")))
}
