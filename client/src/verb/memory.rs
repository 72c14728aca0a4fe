//! `ccctl memory`.

use crate::args::Given;
use crate::context::{confirm, is_at_terminal};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::memory::place::find;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "save" => {
            let mut params = args.params();
            params["project"] = project(args)?;
            context.show("memory.save", &params)
        }
        "show" => {
            let answer = context.fetch("memory.get", &params(args)?)?;
            context.print(&answer, render::memory)
        }
        "load" => context.show("memory.load", &params(args)?),
        "status" => context.show("memory.status", &params(args)?),
        "validate" => context.carry_out(args),
        _ => link(args, context),
    }
}

fn params(args: &Given) -> Result<Value, Failure> {
    Ok(json!({ "project": project(args)? }))
}

fn project(args: &Given) -> Result<Value, Failure> {
    let given = args.word("project");
    let directory = caller::absolute(Path::new(given.unwrap_or(".")))?;
    Ok(match given {
        Some(_) => directory.into(),
        None => around(directory).into(),
    })
}

/// Returns the project that the directory is in, as hooks find it, or the directory if it is in none.
fn around(directory: String) -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let place = find(Path::new(&directory), home.as_deref());
    let root = place.and_then(|place| place.root.into_os_string().into_string().ok());
    root.unwrap_or(directory)
}

/// Shows the change of CLAUDE.md, and makes it after a yes.
fn link(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = params(args)?;
    params["write"] = args.has("yes").into();
    let answer = context.fetch("memory.link", &params)?;
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
        context.fetch("memory.link", &params)?;
    }
    context.note(&format!("changed {file}"));
    Ok(Exit::Done)
}
