//! `ccctl data`: what is kept about the user.

use crate::args::{DataArgs, DataForgetArgs, DataVerb};
use crate::call::is_elsewhere;
use crate::context::{confirm, is_at_terminal};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::NoParams;
use ccd_protocol::data::{DataForget, DataForgetParams, DataList, DataPart};
use serde_json::Value;
use std::path::Path;

pub(crate) fn dispatch(args: &DataArgs, context: &mut Context) -> Result<Exit, Failure> {
    match &args.verb {
        None => {
            let answer = context.fetch::<DataList>(&NoParams {})?;
            context.print(&answer, render::data_kept)
        }
        Some(DataVerb::Forget(args)) => forget(args, context),
    }
}

/// Shows what would be deleted, and deletes it after a yes.
fn forget(args: &DataForgetArgs, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = DataForgetParams {
        parts: match &*args.parts {
            [] => DataPart::ALL.to_vec(),
            parts => parts.to_vec(),
        },
        project: caller::given_path(args.project.as_deref())?,
        before: args.before.clone(),
        dry_run: !args.yes,
    };
    let answer = context.fetch::<DataForget>(&params)?;
    context.print(&answer, |reply, out| {
        render::data_selected(reply, args.yes, out)
    })?;
    let is_empty = answer
        .value
        .list("parts")
        .iter()
        .all(|part| !part.has("items"));
    let project = params.project.as_deref();
    let is_missing = |dir: &&str| !is_elsewhere() && !Path::new(dir).exists();
    if is_empty && let Some(dir) = project.filter(is_missing) {
        context.note(&format!(
            "{dir}: there is no such directory, and nothing of it was found"
        ));
    }
    if args.yes || args.dry_run || is_empty {
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
    params.dry_run = false;
    let deleted = context.fetch::<DataForget>(&params)?;
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
