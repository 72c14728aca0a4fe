//! `ccctl data`: what is kept about the user.

use crate::args::{DataArgs, DataForgetArgs, DataVerb};
use crate::call::is_elsewhere;
use crate::context::{confirm, is_at_terminal};
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::NoParams;
use ccd_protocol::data::{DataForget, DataForgetParams, DataList, DataPart, DataSelected};
use std::path::Path;

pub(crate) fn dispatch(args: &DataArgs, context: &mut Context) -> Result<Exit, Failure> {
    match &args.verb {
        None => context.show::<DataList>(&NoParams {}, |reply, out| {
            render::data_kept(&reply.parts, out)
        }),
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
    let answer = context.call::<DataForget>(&params)?;
    context.print(&answer, |reply, out| {
        render::data_selected(&reply.parts, args.yes, out)
    })?;
    let is_empty = answer.value.parts.iter().all(|part| part.items == 0);
    let project = params.project.as_deref();
    let is_missing = |dir: &&str| !is_elsewhere() && !Path::new(dir).exists();
    if is_empty && let Some(dir) = project.filter(is_missing) {
        context.note(&format!(
            "{dir}: there is no such directory, and nothing of it was found"
        ));
    }
    if args.yes || args.dry_run || is_empty {
        return ended(&answer.value.parts);
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
    let deleted = context.call::<DataForget>(&params)?;
    context.print(&deleted, |reply, out| {
        render::data_selected(&reply.parts, true, out)
    })?;
    ended(&deleted.value.parts)
}

/// The output has said what failed.
fn ended(parts: &[DataSelected]) -> Result<Exit, Failure> {
    let is_done = parts.iter().all(|part| part.failed.is_empty());
    Ok(Exit::of_success(is_done))
}
