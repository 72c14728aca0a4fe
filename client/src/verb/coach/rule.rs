//! `ccctl coach rule`: a rule by hand.

use super::decide::approved;
use crate::args::RuleArgs;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::coach::{
    CandidateType, CoachApprove, CoachApproveParams, CoachEvent, CoachEvents, CoachEventsParams,
    CoachImport, CoachImportParams,
};
use serde_json::json;

/// The trigger of a rule that says itself when it holds.
const TRIGGER: &str = "when working in this project";

/// Most events that are searched: all that a call returns.
const MOST_EVENTS: u32 = 1000;

/// Makes a candidate with an event as its evidence, and approves it.
pub(super) fn rule(args: &RuleArgs, context: &mut Context) -> Result<Exit, Failure> {
    let event = event(&args.event, context)?;
    let text = args.text.trim().trim_end_matches('.');
    if text.is_empty() {
        return Failure::usage("coach rule: the text is empty");
    }
    if text.contains("<!--") || text.contains("-->") || text.contains(char::is_control) {
        let what = "coach rule: the text must be one line without control characters, <!-- or -->";
        return Failure::usage(what);
    }
    let candidate = json!({
        "title": text, "candidate_type": CandidateType::Rule, "trigger_condition": TRIGGER, "action": text,
        "confidence": 1.0, "first_seen": event.timestamp, "last_seen": event.timestamp, "repo_ids": [event.repo_id],
        "evidence": [{"event_id": event.id, "quote": event.content, "timestamp": event.timestamp,
                      "session_id": event.session_id, "repo_id": event.repo_id}],
    });
    let document = json!({ "candidates": [candidate] });
    let made = context.call::<CoachImport>(&CoachImportParams { document })?;
    if let Some(why) = made.value.refused.first() {
        return Failure::usage(format!("coach rule: {why}"));
    }
    let params = CoachApproveParams {
        // Of the words without secrets.
        id: made
            .value
            .fingerprints
            .into_iter()
            .next()
            .unwrap_or_default(),
        scope: Some(args.scope),
        cwd: caller::working_directory(None)?,
        ..CoachApproveParams::default()
    };
    context.show::<CoachApprove>(&params, |reply, out| {
        writeln!(out, "{}", approved(&reply.candidate, &reply.file))
    })
}

fn event(start: &str, context: &Context) -> Result<CoachEvent, Failure> {
    let params = CoachEventsParams {
        limit: Some(MOST_EVENTS),
        ..CoachEventsParams::default()
    };
    let mut events = context.call::<CoachEvents>(&params)?.value.events;
    events.retain(|event| event.id.starts_with(start));
    match (events.len(), events.pop()) {
        (1, Some(event)) => Ok(event),
        (0, _) => Failure::usage(format!(
            "coach rule: no event id among the newest {MOST_EVENTS} starts with {start:?}; ccctl coach events lists them"
        )),
        _ => Failure::usage(format!(
            "coach rule: more than one event id starts with {start:?}; type more of the id"
        )),
    }
}
