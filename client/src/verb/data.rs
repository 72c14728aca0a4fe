//! `ccctl data`: what is kept about the user.

use crate::args::Given;
use crate::call::is_elsewhere;
use crate::context::{confirm, is_at_terminal};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, render};
use ccd_protocol::NoParams;
use ccd_protocol::data::DataPart;
use serde_json::{Value, json};
use std::path::Path;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    if verb == "forget" {
        return forget(args, context);
    }
    let answer = context.fetch("data.list", &NoParams {})?;
    context.print(&answer, render::data_kept)
}

/// Shows what would be deleted, and deletes it after a yes.
fn forget(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let is_sure = args.has("yes");
    let parts = match args.at("parts") {
        parts if args.has("parts") => parts.clone(),
        _ => json!(DataPart::ALL),
    };
    let mut params = json!({
        "parts": parts,
        "project": args.at("project"),
        "before": args.at("before"),
        "dry_run": !is_sure,
    });
    let answer = context.fetch("data.forget", &params)?;
    context.print(&answer, |reply, out| {
        render::data_selected(reply, is_sure, out)
    })?;
    let is_empty = answer
        .value
        .list("parts")
        .iter()
        .all(|part| !part.has("items"));
    let project = args.word("project");
    let is_missing = |dir: &&str| !is_elsewhere() && !Path::new(dir).exists();
    if is_empty && let Some(dir) = project.filter(is_missing) {
        context.note(&format!(
            "{dir}: there is no such directory, and nothing of it was found"
        ));
    }
    if is_sure || args.has("dry_run") || is_empty {
        return ended(&answer.value);
    }
    if !is_at_terminal() || context.global.json {
        context.note("nothing was deleted; --yes deletes it");
        return Ok(Exit::Failed);
    }
    if !confirm("delete this?") {
        context.note("nothing was deleted");
        return Ok(Exit::Failed);
    }
    params["dry_run"] = false.into();
    let deleted = context.fetch("data.forget", &params)?;
    context.print(&deleted, |reply, out| {
        render::data_selected(reply, true, out)
    })?;
    ended(&deleted.value)
}

/// The output has said what failed.
fn ended(reply: &Value) -> Result<Exit, Failure> {
    let is_done = reply.list("parts").iter().all(|part| !part.has("failed"));
    Ok(Exit::of_success(is_done))
}
