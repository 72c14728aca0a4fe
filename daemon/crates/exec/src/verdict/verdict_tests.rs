use super::{Cause, Ending, Exit, Unusable, verdict};
use crate::stream::{Facts, Reader};
use ccd_protocol::exec::ExecutionStatus::{Failed, Success, Timeout};
use serde_json::{Value, json};
use std::num::NonZeroU32;

fn facts(records: &[Value]) -> Facts {
    let mut reader = Reader::default();
    for record in records {
        reader.feed(format!("{record}\n").as_bytes());
    }
    reader.finish()
}

fn ending(exit: Exit) -> Ending<'static> {
    Ending {
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
    assert_eq!(verdict(&good, &ending(Exit::Code(0))).status, Success);
    for exit in [Exit::Code(1), Exit::Code(143), Exit::Signal(15)] {
        assert_eq!(verdict(&good, &ending(exit)).status, Failed);
    }
    let nothing = verdict(&Facts::default(), &ending(Exit::Code(0)));
    assert_eq!(
        nothing.error_message.unwrap(),
        "claude exited with code 0 and printed no result"
    );
}

#[test]
fn the_last_result_counts() {
    let bad = json!({"type": "result", "subtype": "success", "is_error": true, "result": "no"});
    assert_eq!(
        verdict(&facts(&[good(), bad.clone()]), &ending(Exit::Code(0))).status,
        Failed
    );
    assert_eq!(
        verdict(&facts(&[bad, good()]), &ending(Exit::Code(0))).status,
        Success
    );
}

#[test]
fn the_daemon_knows_best_why_it_ended_a_run() {
    let good = facts(&[good()]);
    let of = |cause| {
        verdict(
            &good,
            &Ending {
                cause: Some(cause),
                ..ending(Exit::Code(0))
            },
        )
    };
    let timeout = of(Cause::TimeLimit { limit_s: 5 });
    assert_eq!(
        (timeout.status, timeout.error_message.as_deref()),
        (
            Timeout,
            Some("the run exceeded its time limit of 5 seconds")
        )
    );
    assert_eq!(of(Cause::Stalled { limit_s: 5 }).status, Timeout);
    assert_eq!(of(Cause::Cancelled).status, Failed);
    assert_eq!(of(Cause::DaemonRestarted).status, Failed);
}

#[test]
fn background_tasks_that_we_ended_do_not_spoil_the_answer() {
    let aborted = json!({"type": "result", "subtype": "error_during_execution", "is_error": true, "terminal_reason": "aborted_tools"});
    let facts = facts(&[good(), aborted.clone()]);
    let grace = |exit| Ending {
        cause: Some(Cause::Grace),
        ..ending(exit)
    };
    assert_eq!(verdict(&facts, &grace(Exit::Code(0))).status, Success);
    assert_eq!(verdict(&facts, &grace(Exit::Signal(9))).status, Success);
    assert_eq!(verdict(&facts, &ending(Exit::Code(0))).status, Failed);
}

#[test]
fn a_program_that_we_ended_after_its_result_has_the_verdict_of_the_result() {
    let result = |subtype: &str, is_error: bool, reason: &str| json!({"type": "result", "subtype": subtype, "is_error": is_error, "terminal_reason": reason, "errors": ["why"]});
    for (record, status, message) in [
        (good(), Success, None),
        (
            result("error_max_turns", true, "max_turns"),
            Failed,
            Some("why"),
        ),
        (
            result("error_during_execution", true, "aborted_tools"),
            Failed,
            Some("the run was interrupted: why"),
        ),
    ] {
        for exit in [Exit::Code(0), Exit::Code(143), Exit::Signal(9)] {
            let ended = Ending {
                cause: Some(Cause::Grace),
                ..ending(exit)
            };
            let found = verdict(&facts(std::slice::from_ref(&record)), &ended);
            assert_eq!(
                (found.status, found.error_message.as_deref()),
                (status, message)
            );
        }
    }
}

#[test]
fn the_message_is_of_errors_then_result_then_standard_error() {
    let message = |record: Value, exit, stderr| {
        verdict(
            &facts(&[record]),
            &Ending {
                stderr,
                ..ending(exit)
            },
        )
        .error_message
        .unwrap()
    };
    let both = json!({"type": "result", "is_error": true, "errors": ["a", "b"], "result": "c"});
    assert_eq!(message(both, Exit::Code(1), "d"), "a; b");
    let result = json!({"type": "result", "is_error": true, "errors": [], "result": "c"});
    assert_eq!(message(result, Exit::Code(1), "d"), "c");
    assert_eq!(
        message(good(), Exit::Code(1), " d\n"),
        "d",
        "an answer is no message"
    );
    assert_eq!(
        message(good(), Exit::Code(1), ""),
        "claude exited with code 1"
    );
    let long = "ä".repeat(5000);
    assert!(message(good(), Exit::Code(1), &long).len() <= 4096);
}

#[test]
fn a_subtype_that_names_an_error_is_a_failure_and_its_reason() {
    for (subtype, is_error, result, message) in [
        (
            "error_max_turns",
            false,
            Some("half"),
            "turn limit reached (--max-turns 3)",
        ),
        (
            "error_max_turns",
            true,
            None,
            "turn limit reached (--max-turns 3)",
        ),
        (
            "error_during_execution",
            false,
            None,
            "error during execution",
        ),
        ("error_during_execution", true, Some("why"), "why"),
        (
            "success",
            true,
            None,
            "claude reported an error without a message",
        ),
    ] {
        let record =
            json!({"type": "result", "subtype": subtype, "is_error": is_error, "result": result});
        let ended = Ending {
            max_turns: NonZeroU32::new(3),
            ..ending(Exit::Code(0))
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
    let api = |status: Option<u64>, text: &str| {
        let result = json!({"type": "result", "subtype": "success", "is_error": true, "api_error_status": status, "result": text});
        let of = |model| {
            let message = json!({"type": "assistant", "message": {"id": "m", "model": model}});
            let facts = facts(&[message, result.clone()]);
            verdict(&facts, &ending(Exit::Code(1))).unusable
        };
        if status.is_none() && !text.starts_with("API Error") {
            assert_eq!(of("claude-opus-5-5"), None, "words of the model: {text}");
        }
        of("<synthetic>")
    };
    assert_eq!(
        api(None, "Not logged in · Please run /login"),
        Some(Unusable::NotLoggedIn)
    );
    assert_eq!(
        api(
            Some(403),
            "API Error: 403 OAuth token revoked · Please run /login"
        ),
        Some(Unusable::NotLoggedIn)
    );
    assert_eq!(
        api(None, "Claude AI usage limit reached|1795295303"),
        Some(Unusable::OutOfQuota)
    );
    assert_eq!(
        api(None, "API Error: Unable to connect to API (ECONNREFUSED)"),
        Some(Unusable::NetworkDown)
    );
    assert_eq!(
        api(Some(529), "API Error: 529 Overloaded"),
        Some(Unusable::Overloaded)
    );
    assert_eq!(
        api(Some(404), "API Error: 404 model: no-such-model"),
        Some(Unusable::RequestRefused)
    );
    assert_eq!(api(None, "I could not do it"), None);
    let ended = |code, stderr| {
        verdict(
            &Facts::default(),
            &Ending {
                stderr,
                ..ending(Exit::Code(code))
            },
        )
    };
    let start = |stderr| ended(1, stderr);
    let no_interpreter = ended(127, "env: 'node': No such file or directory");
    assert_eq!(no_interpreter.unusable, Some(Unusable::NotRunnable));
    let root = start(
        "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons",
    );
    assert_eq!(root.unusable, Some(Unusable::RootRefused));
    assert!(
        root.error_message
            .unwrap()
            .contains("cannot be used with root/sudo")
    );
    assert_eq!(
        start("error: unknown option '--tools'").unusable,
        Some(Unusable::TooOld)
    );
    assert_eq!(
        start("Invalid API key · Please run /login").unusable,
        Some(Unusable::NotLoggedIn)
    );
    for said in [
        "SessionEnd hook failed: connect ECONNREFUSED 127.0.0.1:1",
        "SessionEnd hook failed: gh: you are not logged in",
    ] {
        assert_eq!(start(said).unusable, None, "{said}");
    }
}

#[test]
fn a_rate_limit_an_overload_and_a_used_up_quota_are_told_apart() {
    use Unusable::{ApiError, OutOfQuota, Overloaded, RateLimited};
    for (status, name, text, expected) in [
        (
            Some(429),
            "rate_limit",
            "API Error: Request rejected (429) · This request would exceed your organization's rate limit of 50 requests per minute",
            RateLimited,
        ),
        (
            Some(429),
            "rate_limit",
            "API Error: Request rejected (429) · this may be a temporary capacity issue.",
            RateLimited,
        ),
        (None, "rate_limit", "API Error: 429 slow down", RateLimited),
        (
            Some(429),
            "",
            "API Error: 429 {\"type\":\"rate_limit_error\"}",
            RateLimited,
        ),
        (
            Some(429),
            "rate_limit",
            "API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited",
            Overloaded,
        ),
        (
            Some(529),
            "overloaded",
            "API Error: 529 Overloaded",
            Overloaded,
        ),
        (
            None,
            "",
            "API Error: Repeated 529 Overloaded errors",
            Overloaded,
        ),
        (
            Some(500),
            "server_error",
            "API Error: 500 overloaded_error",
            Overloaded,
        ),
        (
            Some(429),
            "rate_limit",
            "You've hit your weekly limit · resets 3pm",
            OutOfQuota,
        ),
        (
            Some(429),
            "rate_limit",
            "You're out of extra usage · resets Aug 3",
            OutOfQuota,
        ),
        (
            Some(429),
            "rate_limit",
            "Claude AI usage limit reached|1795295303",
            OutOfQuota,
        ),
        (
            Some(400),
            "billing_error",
            "Credit balance is too low",
            OutOfQuota,
        ),
        (Some(402), "", "API Error: 402 payment required", OutOfQuota),
        (
            Some(500),
            "server_error",
            "API Error: 500 Internal",
            ApiError,
        ),
    ] {
        let message = json!({"type": "assistant", "error": name, "message": {"id": "m"}});
        let result = json!({"type": "result", "subtype": "success", "is_error": true, "api_error_status": status, "result": text});
        let records = match name {
            "" => vec![result],
            _ => vec![message, result],
        };
        let found = verdict(&facts(&records), &ending(Exit::Code(1))).unusable;
        assert_eq!(found, Some(expected), "{text}");
    }
}
