//! Real runs of two versions of Claude Code (see tests/fixtures/README.md) and the verdict on each.

use crate::stdout_as::stdout_as;
use crate::stream::{Facts, Reader};
use crate::verdict::{Ending, Exit, Unusable, Verdict, verdict};
use ccd_protocol::exec::{ExecutionStatus, OutputFormat};
use serde::Deserialize;

#[derive(Deserialize)]
struct Run {
    case: String,
    run: String,
    /// `jsonl`, `json` or `text`.
    format: String,
    exit_code: i32,
    stderr: String,
    stdout: String,
}

const VERSIONS: [(&str, &str); 2] = [
    (
        "2.1.197",
        include_str!("../tests/fixtures/claude-2.1.197.jsonl"),
    ),
    (
        "2.1.330",
        include_str!("../tests/fixtures/claude-2.1.330.jsonl"),
    ),
];

/// Runs that fail, with their cause and a part of their message; all others succeed.
const FAILED: &[(&str, Option<Unusable>, &str)] = &[
    (
        "api_errors/r500_forever",
        Some(Unusable::ApiError),
        "API Error: 500",
    ),
    (
        "api_errors/r429_forever",
        Some(Unusable::RateLimited),
        "Request rejected (429)",
    ),
    (
        "api_errors/r401",
        Some(Unusable::NotLoggedIn),
        "Invalid API key",
    ),
    ("api_errors/r400_too_long", None, "Prompt is too long"),
    (
        "api_errors/r400_credit",
        Some(Unusable::OutOfQuota),
        "Credit balance is too low",
    ),
    (
        "continue_empty/unknown_flag",
        Some(Unusable::TooOld),
        "unknown option '--no-such-flag'",
    ),
    ("continue_empty/no_prompt", None, "Input must be provided"),
    (
        "continue_empty/empty_prompt",
        None,
        "Input must be provided",
    ),
    (
        "continue_empty/bad_format",
        None,
        "argument 'xml' is invalid",
    ),
    ("kill/int_mid_stream", None, "interrupted"),
    (
        "kill/term_mid_stream",
        None,
        "code 143 and printed no result",
    ),
    ("kill/kill_mid_stream", None, "Killed"),
    (
        "kill/term_no_answer_json",
        None,
        "code 143 and printed no result",
    ),
    ("kill/term_in_tool", None, "code 143"),
    ("kill/kill_in_tool", None, "Killed"),
    (
        "max_turns/stream",
        None,
        "Reached maximum number of turns (2)",
    ),
    (
        "max_turns/json",
        None,
        "Reached maximum number of turns (2)",
    ),
    ("max_turns/budget", None, "Reached maximum budget"),
    ("plain/stream_without_verbose", None, "requires --verbose"),
    ("resume/session_id_reused", None, "already in use"),
    ("resume/session_id_invalid", None, "Invalid session ID"),
    ("resume/resume_unknown", None, "No conversation found"),
    (
        "resume/resume_unknown_stream",
        None,
        "No conversation found",
    ),
    (
        "stream_input/bad_line",
        None,
        "Error parsing streaming input line",
    ),
];

/// Runs that fail in one version only.
const FAILED_IN: &[(&str, &str, &str)] = &[
    ("2.1.197", "api_errors/refusal", "unable to respond"),
    ("2.1.330", "denied_flag/plan", "auto mode could not check"),
];

fn runs(text: &str) -> Vec<Run> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn read(run: &Run) -> Facts {
    let mut reader = Reader::default();
    reader.feed(run.stdout.as_bytes());
    reader.finish()
}

fn judge(run: &Run) -> Verdict {
    verdict(
        &read(run),
        &Ending {
            exit: Exit::Code(run.exit_code),
            cause: None,
            stderr: &run.stderr,
            max_turns: None,
        },
    )
}

fn facts_of(version: &str, name: &str) -> (Facts, String) {
    let (_, text) = VERSIONS
        .iter()
        .find(|(known, _)| *known == version)
        .unwrap();
    let is_wanted = |run: &Run| format!("{}/{}", run.case, run.run) == name;
    let run = runs(text)
        .into_iter()
        .find(is_wanted)
        .unwrap_or_else(|| panic!("{name}"));
    (read(&run), run.stdout)
}

#[test]
fn every_captured_run_has_its_verdict() {
    let mut count = 0;
    for (version, text) in VERSIONS {
        for run in runs(text)
            .iter()
            .filter(|run| run.format != "text" || run.stdout.is_empty())
        {
            count += 1;
            let name = format!("{}/{}", run.case, run.run);
            let verdict = judge(run);
            let failed = FAILED
                .iter()
                .find(|(known, ..)| *known == name)
                .map(|(_, cause, message)| (*cause, *message));
            let failed_here = FAILED_IN
                .iter()
                .find(|(of, known, _)| (*of, *known) == (version, &*name));
            let Some((cause, message)) =
                failed.or(failed_here.map(|(.., message)| (None, *message)))
            else {
                assert_eq!(
                    verdict.status,
                    ExecutionStatus::Success,
                    "{version} {name}: {verdict:?}"
                );
                assert_eq!(verdict.error_message, None);
                continue;
            };
            assert_eq!(
                (verdict.status, verdict.unusable),
                (ExecutionStatus::Failed, cause),
                "{version} {name}: {verdict:?}"
            );
            let text = verdict.error_message.unwrap();
            assert!(text.contains(message), "{version} {name}: {text}");
        }
    }
    assert!(count > 150, "{count}");
}

#[test]
fn every_stream_is_read_whole_and_names_its_version() {
    for (version, text) in VERSIONS {
        for run in runs(text)
            .iter()
            .filter(|run| run.format == "jsonl" && !run.stdout.is_empty())
        {
            let facts = read(run);
            assert_eq!(
                (facts.unreadable_lines, facts.too_long_lines),
                (0, 0),
                "{version} {}",
                run.case
            );
            assert!(facts.session_id.is_some());
            let is_started = run.run != "resume_unknown_stream";
            assert_eq!(
                facts.version.as_deref(),
                is_started.then_some(version),
                "{}/{}",
                run.case,
                run.run
            );
        }
    }
}

#[test]
fn denied_calls_of_real_runs_are_found() {
    for (version, _) in VERSIONS {
        for (name, expected) in [
            ("denied_flag/disallowed_tool", &["Bash"][..]),
            ("denied_flag/disallowed_pattern", &["Bash"]),
            ("denied_flag/default_mode", &["Bash", "Write"]),
            ("denied_flag/dont_ask", &["Bash", "Write"]),
            ("denied_hook/run1", &["Bash", "Write"]),
            ("tool_error/run1", &["NoSuchTool"]),
            ("plain/stream", &[]),
        ] {
            let (facts, _) = facts_of(version, name);
            let mut denied: Vec<&str> = facts
                .calls
                .denied
                .iter()
                .map(|denied| &*denied.call.name)
                .collect();
            denied.sort_unstable(); // the older version names some only in its result
            assert_eq!(denied, expected, "{version} {name}");
            assert!(
                facts
                    .calls
                    .denied
                    .iter()
                    .all(|denied| denied.call.input.is_object()),
                "{version} {name}"
            );
        }
    }
}

#[test]
fn sub_agents_and_retries_of_real_runs_are_found() {
    for (version, _) in VERSIONS {
        let (facts, _) = facts_of(version, "subagent_default/run1");
        let agent = facts
            .calls
            .kept
            .iter()
            .find(|call| call.name == "Agent")
            .unwrap();
        let inner = facts
            .calls
            .kept
            .iter()
            .find(|call| call.name == "Read")
            .unwrap();
        assert_eq!(inner.parent.as_ref(), Some(&agent.id), "{version}");
        assert!(facts.tokens.input > 0 && facts.tokens.output > 0);
        let (facts, _) = facts_of(version, "api_errors/r429_then_ok");
        assert_eq!(
            (facts.retries, facts.last_retry.unwrap().status),
            (1, Some(429)),
            "{version}"
        );
    }
}

#[test]
fn other_formats_are_made_as_claude_code_prints_them() {
    for (version, _) in VERSIONS {
        for (stream, printed) in [
            ("plain/stream", "plain/text"),
            ("subagent_default/run1", "subagent_json/text"),
            ("api_errors/r401", "api_errors/r401_text"),
            ("kill/int_mid_stream", "kill/int_no_answer_text"),
        ] {
            let (facts, text) = facts_of(version, stream);
            let (_, expected) = facts_of(version, printed);
            if stream.starts_with("kill") {
                // Claude Code prints only that there was an error; what it had said is kept.
                assert!(stdout_as(OutputFormat::Text, &facts, &text).starts_with("word word"));
                continue;
            }
            assert_eq!(
                stdout_as(OutputFormat::Text, &facts, &text),
                expected,
                "{version} {stream}"
            );
        }
        let (facts, text) = facts_of(version, "max_turns/stream");
        assert_eq!(facts.outcome.as_ref().unwrap().terminal_reason, "max_turns");
        assert_eq!(
            stdout_as(OutputFormat::Text, &facts, &text).lines().count(),
            1
        );
        let (facts, text) = facts_of(version, "plain/json");
        assert_eq!(stdout_as(OutputFormat::Json, &facts, &text), text);
        assert_eq!(stdout_as(OutputFormat::StreamJson, &facts, &text), text);
        assert_eq!(stdout_as(OutputFormat::Json, &Facts::default(), ""), "");
        let mut reader = Reader::default();
        reader.feed(b"{\"type\":\"result\",\"subtype\":\"success\",\"result\":null}\n");
        assert_eq!(stdout_as(OutputFormat::Text, &reader.finish(), ""), "");
    }
}
