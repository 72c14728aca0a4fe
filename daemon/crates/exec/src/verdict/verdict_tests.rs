use super::unusable::Unusable::{NotLoggedIn, NotRunnable, RootRefused, TooOld};
use super::{EndCause, RunEnding, verdict};
use crate::stream::{StreamFacts, StreamReader};
use ccd_protocol::exec::ExecutionStatus::{Failed, Success, Timeout};
use ccd_terminal::supervised::ProgramEnd;
use serde_json::{Value, json};
use std::num::NonZeroU32;

fn facts(records: &[Value]) -> StreamFacts {
    let mut reader = StreamReader::default();
    for record in records {
        reader.feed(format!("{record}\n").as_bytes(), |_, _| ());
    }
    reader.finish(|_, _| ())
}

fn ending(exit: ProgramEnd) -> RunEnding<'static> {
    RunEnding {
        exit,
        cause: None,
        stderr: "",
        max_turns: None,
    }
}

fn good() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false, "result": "done", "terminal_reason": "completed"})
}

#[test]
fn success_needs_a_good_result_and_the_exit_code_0() {
    let good = facts(&[good()]);
    assert_eq!(verdict(&good, &ending(ProgramEnd::Code(0))).status, Success);
    for exit in [
        ProgramEnd::Code(1),
        ProgramEnd::Code(143),
        ProgramEnd::Signal(15),
    ] {
        assert_eq!(verdict(&good, &ending(exit)).status, Failed);
    }
    let nothing = verdict(&StreamFacts::default(), &ending(ProgramEnd::Code(0)));
    assert_eq!(
        nothing.error_message.unwrap(),
        "claude exited with code 0 and printed no result"
    );
}

#[test]
fn the_last_result_counts() {
    let bad = json!({"type": "result", "subtype": "success", "is_error": true, "result": "no"});
    let status = |records: &[Value]| verdict(&facts(records), &ending(ProgramEnd::Code(0))).status;
    assert_eq!(status(&[good(), bad.clone()]), Failed);
    assert_eq!(status(&[bad, good()]), Success);
}

#[test]
fn the_daemon_knows_best_why_it_ended_a_run() {
    let good = facts(&[good()]);
    for (cause, status, message) in [
        (
            EndCause::TimeLimit { limit_s: 5 },
            Timeout,
            "the run exceeded its time limit of 5 seconds",
        ),
        (
            EndCause::Stalled { limit_s: 5 },
            Timeout,
            "the run printed nothing for 5 seconds",
        ),
        (EndCause::Cancelled, Failed, "the run was cancelled"),
        (
            EndCause::DaemonRestarted,
            Failed,
            "the run was ended because the daemon restarted",
        ),
    ] {
        let ended = RunEnding {
            cause: Some(cause),
            ..ending(ProgramEnd::Code(0))
        };
        let found = verdict(&good, &ended);
        assert_eq!(found.status, status);
        assert_eq!(found.error_message.as_deref(), Some(message));
    }
}

#[test]
fn a_program_that_we_ended_after_its_result_has_the_verdict_of_the_result() {
    let result = |subtype: &str, reason: &str| json!({"type": "result", "subtype": subtype, "is_error": true, "terminal_reason": reason, "errors": ["why"]});
    let aborted = || result("error_during_execution", "aborted_tools");
    for (records, status, message) in [
        (vec![good()], Success, None),
        // What the end itself made it print does not count.
        (vec![good(), aborted()], Success, None),
        (
            vec![result("error_max_turns", "max_turns")],
            Failed,
            Some("why"),
        ),
        (
            vec![aborted()],
            Failed,
            Some("the run was interrupted: why"),
        ),
    ] {
        for exit in [
            ProgramEnd::Code(0),
            ProgramEnd::Code(143),
            ProgramEnd::Signal(9),
        ] {
            let ended = RunEnding {
                cause: Some(EndCause::Grace),
                ..ending(exit)
            };
            let found = verdict(&facts(&records), &ended);
            assert_eq!(
                (found.status, found.error_message.as_deref()),
                (status, message)
            );
        }
    }
    let not_by_us = ending(ProgramEnd::Code(0));
    assert_eq!(
        verdict(&facts(&[good(), aborted()]), &not_by_us).status,
        Failed
    );
}

#[test]
fn the_message_is_of_errors_then_result_then_standard_error() {
    let message = |record: Value, stderr| {
        let ended = RunEnding {
            stderr,
            ..ending(ProgramEnd::Code(1))
        };
        verdict(&facts(&[record]), &ended).error_message.unwrap()
    };
    let both = json!({"type": "result", "is_error": true, "errors": ["a", "b"], "result": "c"});
    assert_eq!(message(both, "d"), "a; b");
    let result = json!({"type": "result", "is_error": true, "errors": [], "result": "c"});
    assert_eq!(message(result, "d"), "c");
    assert_eq!(message(good(), " d\n"), "d", "an answer is no message");
    assert_eq!(message(good(), ""), "claude exited with code 1");
    assert!(message(good(), &"ä".repeat(5000)).len() <= 4096);
}

#[test]
fn a_subtype_that_names_an_error_is_a_failure_and_its_reason() {
    let turns = "turn limit reached (--max-turns 3)";
    let unnamed = "claude reported an error without a message";
    for (subtype, is_error, result, message) in [
        ("error_max_turns", false, Some("half"), turns),
        ("error_max_turns", true, None, turns),
        (
            "error_during_execution",
            false,
            None,
            "error during execution",
        ),
        ("error_during_execution", true, Some("why"), "why"),
        ("success", true, None, unnamed),
    ] {
        let record =
            json!({"type": "result", "subtype": subtype, "is_error": is_error, "result": result});
        let ended = RunEnding {
            max_turns: NonZeroU32::new(3),
            ..ending(ProgramEnd::Code(0))
        };
        let found = verdict(&facts(&[record]), &ended);
        assert_eq!(
            (found.status, found.error_message.as_deref()),
            (Failed, Some(message)),
            "{subtype}"
        );
    }
}

#[test]
fn causes_outside_of_the_run_have_names() {
    for (code, stderr, expected) in [
        (
            127,
            "env: 'node': No such file or directory",
            Some(NotRunnable),
        ),
        (
            1,
            "bypass cannot be used with root/sudo privileges",
            Some(RootRefused),
        ),
        (1, "error: unknown option '--tools'", Some(TooOld)),
        (1, "Invalid API key · Please run /login", Some(NotLoggedIn)),
        (
            1,
            "SessionEnd hook failed: connect ECONNREFUSED 127.0.0.1:1",
            None,
        ),
        (1, "SessionEnd hook failed: gh: you are not logged in", None),
    ] {
        let ended = RunEnding {
            stderr,
            ..ending(ProgramEnd::Code(code))
        };
        let found = verdict(&StreamFacts::default(), &ended);
        assert_eq!(found.unusable, expected, "{stderr}");
        assert!(found.error_message.unwrap().contains(stderr), "{stderr}");
    }
}

#[test]
fn a_rate_limit_an_overload_and_a_used_up_quota_are_told_apart() {
    // Status, name and text of an error of the API, and the cause.
    for row in include_str!("../../tests/fixtures/api_errors.txt").lines() {
        let columns: Vec<&str> = row.split(" | ").collect();
        let [status, name, text, expected] = columns[..] else {
            panic!("{row}");
        };
        let result = json!({"type": "result", "subtype": "success", "is_error": true, "api_error_status": status.parse::<u64>().ok(), "result": text});
        let found = |model: &str| {
            let name = Some(name).filter(|name| *name != "-");
            let message =
                json!({"type": "assistant", "error": name, "message": {"id": "m", "model": model}});
            let facts = facts(&[message, result.clone()]);
            let found = verdict(&facts, &ending(ProgramEnd::Code(1))).unusable;
            found.map_or("-".to_owned(), |cause| format!("{cause:?}"))
        };
        assert_eq!(found("<synthetic>"), expected, "{row}");
        if (status, name) == ("-", "-") && !text.starts_with("API Error") {
            assert_eq!(found("claude-opus-5-5"), "-", "words of the model: {row}");
        }
    }
}
