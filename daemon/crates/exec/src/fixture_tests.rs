//! Real runs of two versions of Claude Code (see tests/fixtures/README.md) and the verdict on each.

use crate::stdout_as::stdout_as;
use crate::stream::{StreamFacts, StreamReader};
use crate::verdict::{RunEnding, RunVerdict, verdict};
use ccd_protocol::exec::{ExecutionStatus, OutputFormat};
use ccd_terminal::supervised::ProgramEnd;
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

/// Runs that fail: their name, cause and a part of their message; in one version only if a fourth column names it. All others
/// succeed.
const FAILED: &str = include_str!("../tests/fixtures/failed.txt");

/// Returns the expected cause and part of the message of a run that fails.
fn failure(version: &str, name: &str) -> Option<(String, &'static str)> {
    FAILED.lines().find_map(|line| {
        let mut columns = line.split(" | ");
        let (known, cause, message) = (columns.next()?, columns.next()?, columns.next()?);
        let is_here = columns.next().is_none_or(|only| only == version);
        (known == name && is_here).then(|| (cause.to_owned(), message))
    })
}

fn runs(text: &str) -> Vec<Run> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn read(run: &Run) -> StreamFacts {
    let mut reader = StreamReader::default();
    reader.feed(run.stdout.as_bytes(), |_, _| ());
    reader.finish(|_, _| ())
}

fn judge(run: &Run) -> RunVerdict {
    let ending = RunEnding {
        exit: ProgramEnd::Code(run.exit_code),
        cause: None,
        stderr: &run.stderr,
        max_turns: None,
    };
    verdict(&read(run), &ending)
}

fn facts_of(version: &str, name: &str) -> (StreamFacts, String) {
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
            let said = format!("{version} {name}: {verdict:?}");
            let Some((cause, message)) = failure(version, &name) else {
                assert_eq!(verdict.status, ExecutionStatus::Success, "{said}");
                assert_eq!(verdict.error_message, None);
                continue;
            };
            let found = verdict
                .unusable
                .map_or("-".into(), |cause| format!("{cause:?}"));
            assert_eq!(verdict.status, ExecutionStatus::Failed, "{said}");
            assert_eq!(found, cause, "{said}");
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
            let mut reader = StreamReader::default();
            let name = format!("{version} {}/{}", run.case, run.run);
            reader.feed(run.stdout.as_bytes(), |_, is_json| {
                assert!(is_json, "{name}")
            });
            let facts = reader.finish(|_, is_json| assert!(is_json, "{name}"));
            assert_eq!(facts.too_long_lines, 0, "{name}");
            let is_started = run.run != "resume_unknown_stream";
            let expected = is_started.then_some(version);
            assert_eq!(facts.version.as_deref(), expected, "{name}");
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
            let calls = || facts.calls.denied.iter().map(|denied| &denied.call);
            let mut denied: Vec<&str> = calls().map(|call| &*call.name).collect();
            denied.sort_unstable(); // the older version names some only in its result
            assert_eq!(denied, expected, "{version} {name}");
            let are_known = calls().all(|call| call.input.is_object());
            assert!(are_known, "{version} {name}");
        }
    }
}

#[test]
fn sub_agents_of_real_runs_are_found() {
    for (version, _) in VERSIONS {
        let (facts, _) = facts_of(version, "subagent_default/run1");
        let call = |name| {
            let mut calls = facts.calls.kept.iter();
            calls.find(|call| call.name == name).unwrap()
        };
        let (agent, inner) = (call("Agent"), call("Read"));
        assert_eq!(inner.parent.as_ref(), Some(&agent.id), "{version}");
        assert!(facts.tokens.input > 0 && facts.tokens.output > 0);
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
        assert_eq!(
            stdout_as(OutputFormat::Json, &StreamFacts::default(), ""),
            ""
        );
        let mut reader = StreamReader::default();
        let empty = b"{\"type\":\"result\",\"subtype\":\"success\",\"result\":null}\n";
        reader.feed(empty, |_, _| ());
        let facts = reader.finish(|_, _| ());
        assert_eq!(stdout_as(OutputFormat::Text, &facts, ""), "");
    }
}
