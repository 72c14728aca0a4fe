//! What the coach keeps: `events`, `mute`, `forget`, `export`, `import`.

use super::project;
use crate::args::{EventsArgs, ForgetArgs, ImportArgs, MuteArgs, params};
use crate::context::{confirm, is_at_terminal};
use crate::fields::Fields as _;
use crate::verb::file::read;
use crate::{Context, Exit, Failure};
use ccd_protocol::coach::{
    CoachEvents, CoachEventsParams, CoachExport, CoachForget, CoachForgetParams, CoachImport,
    CoachImportParams, CoachMute, CoachMuteParams,
};
use ccd_protocol::{Method as _, NoParams};
use serde_json::Value;
use std::path::Path;

/// Longest document: the most that the daemon accepts in one request.
const MAX_DOCUMENT_BYTES: u64 = 16 << 20;

pub(super) fn events(args: &EventsArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = params!(CoachEventsParams { since, signal_type, limit, before } of args,
        project: project(args.project.as_deref())?);
    context.show::<CoachEvents>(&params)
}

pub(super) fn mute(args: &MuteArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = CoachMuteParams {
        signal_type: args.signal_type,
        project: project(args.project.as_deref())?,
        off: args.off,
    };
    context.show::<CoachMute>(&params)
}

/// Deletes events and payloads, at a terminal after a question.
pub(super) fn forget(args: &ForgetArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = params!(CoachForgetParams { session, before, all } of args,
        project: project(args.project.as_deref())?);
    if !args.yes && is_at_terminal() && !confirm(&question(&params)) {
        return Failure::failed("coach.forget: cancelled; nothing was deleted");
    }
    context.show::<CoachForget>(&params)
}

fn question(params: &CoachForgetParams) -> String {
    let mut which = String::new();
    if let Some(project) = &params.project {
        which += &format!(" of project {project}");
    }
    if let Some(session) = &params.session {
        which += &format!(" of session {session}");
    }
    if let Some(before) = &params.before {
        which += &format!(" before {before}");
    }
    let also = if params.all {
        ", and candidates that were not approved"
    } else {
        ""
    };
    format!("this deletes all events and payloads{which}{also}. Continue?")
}

pub(super) fn export(output: Option<&Path>, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch::<CoachExport>(&NoParams {})?;
    context.print_json();
    let text = format!("{}\n", answer.json.get());
    context.write_to(output.unwrap_or(Path::new("-")), text.as_bytes())?;
    Ok(Exit::Done)
}

/// Merges a document into the ledger; fails if some of its entries cannot be used.
pub(super) fn import(args: &ImportArgs, context: &mut Context) -> Result<Exit, Failure> {
    let name = args.file.display();
    let bytes = read(&args.file, MAX_DOCUMENT_BYTES)?;
    let document = serde_json::from_slice(&bytes)
        .map_err(|error| Failure::Usage(format!("{name} is not JSON: {error}")))?;
    let answer = context.fetch::<CoachImport>(&CoachImportParams { document })?;
    context.print_as(CoachImport::NAME, &answer)?;
    let refused = answer
        .value
        .list("refused")
        .iter()
        .filter_map(Value::as_str);
    refused.for_each(|why| context.remark(why));
    Ok(Exit::of_success(!answer.value.has("refused")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_names_what_is_deleted() {
        let all = CoachForgetParams {
            all: true,
            ..CoachForgetParams::default()
        };
        let some = CoachForgetParams {
            project: Some("/p".into()),
            before: Some("2026-01-31T00:00:00.000Z".into()),
            ..CoachForgetParams::default()
        };
        for (params, what) in [
            (all, ", and candidates that were not approved"),
            (some, " of project /p before 2026-01-31T00:00:00.000Z"),
        ] {
            let expected = format!("this deletes all events and payloads{what}. Continue?");
            assert_eq!(question(&params), expected);
        }
    }
}
