//! Nothing makes the aggregation fail, and the order in which events are given does not matter.

use super::*;
use crate::signal::SignalType;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

fn signal_type() -> impl Strategy<Value = SignalType> {
    prop_oneof![
        Just(SignalType::UserCorrection),
        Just(SignalType::ToneEscalation),
        Just(SignalType::Repetition),
        Just(SignalType::SkillSupplement),
        Just(SignalType::VerificationQuestion),
        Just(SignalType::CommandFailure),
        Just(SignalType::VersionIssue),
        Just(SignalType::ProcessViolation),
    ]
}

/// Returns texts of which some are alike.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "(?s).{0,60}",
        "(no, |stop, |)(don't |never |use |)(edit|push|squash|log) (the )?(source|main|files|skill)( instead of [a-d]{2})?",
        "(git push|npm run [ab]|cargo test|gh pr merge|cd x && make)( --[a-c]{3}| [a-z]| \\| tail -5){0,3}",
        "(error: |fatal: |)(command not found|403|conflict \\(|timed out|ERESOLVE|not fast-forward|[a-z ]{1,20})",
    ]
}

fn context() -> impl Strategy<Value = Value> {
    let known = (text(), text(), 0_u64..9, "(test|run|build|x)").prop_map(|(command, other, count, action)| {
        json!({
            "command": command, "stderr": other, "content": other, "similar_count": count, "similar_messages": [command],
            "verified_action": action, "skill_name": action, "tool": action, "file": command,
            "violations": [{ "kind": "unauthorized_squash" }, { "kind": other }, { "kind": "cache_path_edit" }],
        })
    });
    prop_oneof![
        Just(json!({})),
        Just(json!({ "command": 7, "violations": {}, "similar_messages": [1] })),
        known
    ]
}

prop_compose! {
    fn event()(
        signal_type in signal_type(),
        content in text(),
        context in context(),
        day in 0_u32..70,
        minute in 0_u32..3,
        session in 0_u32..4,
        is_broken in proptest::bool::weighted(0.02),
    ) -> Event {
        let (month, day) = (1 + day / 28, 1 + day % 28);
        let timestamp = format!("2026-{month:02}-{day:02}T08:{minute:02}:00Z");
        Event {
            id: String::new(),
            timestamp: if is_broken { content.clone() } else { timestamp },
            signal_type: Some(signal_type),
            repo_id: format!("r{session}"),
            repo_key: String::new(),
            session_id: if session == 3 { String::new() } else { format!("s{session}") },
            content,
            context: serde_json::from_value(context).unwrap(),
        }
    }
}

prop_compose! {
    fn events()(mut events in proptest::collection::vec(event(), 0..40)) -> Vec<Event> {
        for (number, event) in events.iter_mut().enumerate() {
            event.id = format!("e{number:03}");
        }
        events
    }
}

fn successes(events: &[Event]) -> Vec<Success> {
    let failed = events
        .iter()
        .filter(|event| event.signal_type == Some(SignalType::CommandFailure));
    let success = |event: &Event| Success {
        timestamp: event.timestamp.replace(":00Z", ":30Z"),
        session_id: event.session_id.clone(),
        repo_id: String::new(),
        command: format!("{} --solved", &*event.context.command),
    };
    failed.step_by(2).map(success).collect()
}

/// Compiling the patterns takes longer than most runs.
static SETTINGS: LazyLock<Settings> = LazyLock::new(Settings::default);

fn run(events: &[Event], known: &[KnownCandidate]) -> Aggregation {
    run_with(events, &successes(events), known)
}

fn run_with(events: &[Event], successes: &[Success], known: &[KnownCandidate]) -> Aggregation {
    let input = Input {
        events,
        successes,
        known,
        now: "2026-03-20T00:00:00Z",
    };
    aggregate(&input, &SETTINGS)
}

proptest! {
    #[test]
    fn each_event_is_decided_or_expired_or_waits(events in events()) {
        let result = run(&events, &[]);
        let decided = result.decided.len() + result.expired.len() + result.pending;
        prop_assert_eq!(decided, events.len());
        for proposal in &result.proposals {
            let wording = &proposal.wording;
            for line in [&wording.title, &wording.trigger, &wording.action] {
                prop_assert!(!line.contains(char::is_control) && !line.contains("-->") && line.chars().count() <= 240);
            }
            prop_assert_eq!(&wording.fingerprint(), &proposal.fingerprint);
            prop_assert!(proposal.confidence > 0.0 && proposal.confidence <= 0.95);
            prop_assert!(!proposal.evidence.is_empty());
        }
    }

    #[test]
    fn the_order_in_which_events_are_given_does_not_matter(events in events(), turn in 0_usize..40) {
        let mut turned = events.clone();
        turned.rotate_left(turn.min(events.len()));
        turned.reverse();
        let successes = successes(&events);
        prop_assert_eq!(run_with(&events, &successes, &[]), run_with(&turned, &successes, &[]));
    }

    #[test]
    fn a_second_run_over_the_same_events_proposes_nothing(events in events()) {
        let successes = successes(&events);
        let first = run_with(&events, &successes, &[]);
        let known = fixture_tests::ledger(Vec::new(), &first);
        let rest: Vec<Event> = events
            .into_iter()
            .filter(|event| first.expired.binary_search(&event.id).is_err())
            .collect();
        let second = run_with(&rest, &successes, &known);
        prop_assert_eq!(second.proposals, Vec::new());
        prop_assert!(second.sightings.iter().all(|sighting| sighting.count_added == 0), "{:?}", second.sightings);
    }
}
