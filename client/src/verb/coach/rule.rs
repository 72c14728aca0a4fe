//! `ccctl coach rule`: a rule by hand.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::coach::CandidateType;
use serde_json::{Value, json};

/// The trigger of a rule that says itself when it holds.
const TRIGGER: &str = "when working in this project";

/// Most events that are searched: all that a call returns.
const MOST_EVENTS: u32 = 1000;

/// Makes a candidate with an event as its evidence, and approves it.
pub(super) fn rule(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let event = event(args.text("event"), context)?;
    let text = args.text("text").trim().trim_end_matches('.');
    if text.is_empty() {
        return Failure::usage("coach rule: the text is empty");
    }
    if text.contains("<!--") || text.contains("-->") || text.contains(char::is_control) {
        let what = "coach rule: the text must be one line without control characters, <!-- or -->";
        return Failure::usage(what);
    }
    let candidate = json!({
        "title": text, "candidate_type": CandidateType::Rule, "trigger_condition": TRIGGER, "action": text,
        "confidence": 1.0, "first_seen": event["timestamp"], "last_seen": event["timestamp"], "repo_ids": [event["repo_id"]],
        "evidence": [{"event_id": event["id"], "quote": event["content"], "timestamp": event["timestamp"],
                      "session_id": event["session_id"], "repo_id": event["repo_id"]}],
    });
    let document = json!({ "candidates": [candidate] });
    let made = context.fetch("coach.import", &json!({ "document": document }))?;
    let made = made.value;
    if made.has("refused") {
        return Failure::usage(format!("coach rule: {}", made.text("refused.0")));
    }
    let params = json!({
        // Of the words without secrets.
        "id": made["fingerprints"][0],
        "scope": args.at("scope"),
        "cwd": caller::working_directory(None)?,
    });
    context.show("coach.approve", &params)
}

fn event(start: &str, context: &Context) -> Result<Value, Failure> {
    let params = json!({ "limit": MOST_EVENTS });
    let reply = context.fetch("coach.events", &params)?.value;
    let events = reply.list("events").iter();
    let mut found = events.filter(|event| event.text("id").starts_with(start));
    match (found.next(), found.next()) {
        (Some(event), None) => Ok(event.clone()),
        (None, _) => Failure::usage(format!(
            "coach rule: no event id among the newest {MOST_EVENTS} starts with {start:?}; ccctl coach events lists them"
        )),
        _ => Failure::usage(format!(
            "coach rule: more than one event id starts with {start:?}; type more of the id"
        )),
    }
}
