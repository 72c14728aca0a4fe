//! What becomes a proposal, word for word, as docs/COACH.md says.

use super::*;
use crate::signal::SignalType;
use serde_json::{Value, json};

/// A session, its kind of event, and what was said or run; for a failure also its output; for a success (`ok`) only the
/// command.
type Row = (&'static str, &'static str, &'static str, &'static str);

fn proposals(rows: &[Row]) -> Vec<String> {
    let (mut events, mut successes) = (Vec::new(), Vec::new());
    for (number, (session, kind, text, output)) in rows.iter().enumerate() {
        let timestamp = format!("2026-03-01T08:{number:02}:00Z");
        if *kind == "ok" {
            successes.push(Success {
                timestamp,
                session_id: (*session).to_owned(),
                repo_id: "r1".to_owned(),
                command: (*text).to_owned(),
            });
            continue;
        }
        let (signal_type, context) = match *kind {
            "said" => (SignalType::UserCorrection, json!({})),
            "failed" => (
                SignalType::CommandFailure,
                json!({"command": text, "exit_code": 1, "stderr": output}),
            ),
            "thrice" => (
                SignalType::Repetition,
                json!({"similar_count": 2, "similar_messages": [text, text]}),
            ),
            "asked" => (
                SignalType::VerificationQuestion,
                json!({"verified_action": output}),
            ),
            "angry" => (SignalType::ToneEscalation, json!({})),
            "version" => (
                SignalType::VersionIssue,
                json!({"command": text, "stderr_preview": output}),
            ),
            other => panic!("{other}"),
        };
        let event = json!({
            "id": format!("e{number}"), "timestamp": timestamp, "signal_type": signal_type, "repo_id": "r1",
            "session_id": session, "content": if *kind == "failed" { "" } else { *text }, "context": context,
        });
        events.push(serde_json::from_value::<Event>(event).unwrap());
    }
    let input = Input {
        events: &events,
        successes: &successes,
        known: &[],
        now: "2026-03-02T00:00:00Z",
    };
    let mut titles: Vec<String> = aggregate(&input, &Settings::default())
        .proposals
        .into_iter()
        .map(|proposal| proposal.wording.title)
        .collect();
    titles.sort();
    titles
}

/// Reads the table: a line `= SENTENCE` or `= none` ends the rows of a case; the parts of a row are separated by ` | `.
fn cases() -> Vec<(Vec<Row>, Vec<&'static str>)> {
    let (mut cases, mut rows, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for line in include_str!("../../tests/fixtures/proposals.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .chain([""])
    {
        if let Some(title) = line.strip_prefix("= ") {
            expected.extend(Some(title).filter(|title| *title != "none"));
        } else if line.is_empty() {
            cases.extend(
                (!rows.is_empty())
                    .then(|| (std::mem::take(&mut rows), std::mem::take(&mut expected))),
            );
        } else {
            let mut parts = line.split(" | ");
            let mut part = || parts.next().unwrap_or_default();
            rows.push((part(), part(), part(), part()));
        }
    }
    cases
}

#[test]
fn each_set_of_evidence_gives_its_sentence_or_none() {
    let cases = cases();
    assert!(cases.len() >= 80, "{}", cases.len());
    let wrong: Vec<Value> = cases
        .iter()
        .filter_map(|(rows, expected)| {
            let found = proposals(rows);
            (found != *expected)
                .then(|| json!({"rows": rows, "expected": expected, "found": found}))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
