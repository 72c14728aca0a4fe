//! Captured runs of two versions of Claude Code, replayed by a script: each has its verdict.

use crate::support::exec::{Executor, Repository};
use serde_json::{Value, json};
use std::fs;

/// Runs that end with stream-json and do not succeed, with a part of their message.
const FAILED: &[(&str, &str)] = &[
    ("api_errors/r429_forever", "Request rejected (429)"),
    ("kill/int_mid_stream", "interrupted"),
    ("kill/kill_in_tool", "Killed"),
    ("kill/kill_mid_stream", "Killed"),
    ("kill/term_in_tool", "code 143"),
    ("kill/term_mid_stream", "code 143"),
    ("max_turns/stream", "Reached maximum number of turns (2)"),
    ("plain/stream_without_verbose", "requires --verbose"),
    ("resume/resume_unknown_stream", "No conversation found"),
    (
        "stream_input/bad_line",
        "Error parsing streaming input line",
    ),
];

/// A script whose instruction names the captured run to replay.
const REPLAY: &str = r#"cat "$HOME/$instruction.out"; cat "$HOME/$instruction.err" >&2; exit "$(cat "$HOME/$instruction.code")""#;

const CAPTURED: [&str; 2] = [
    include_str!("../../../../daemon/crates/exec/tests/fixtures/claude-2.1.197.jsonl"),
    include_str!("../../../../daemon/crates/exec/tests/fixtures/claude-2.1.330.jsonl"),
];

#[test]
fn every_captured_run_has_its_verdict_and_its_stream() {
    let executor = Executor::with_script(REPLAY);
    let runs: Vec<(usize, Value)> = CAPTURED
        .iter()
        .flat_map(|text| text.lines())
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|run| run["format"] == "jsonl")
        .enumerate()
        .collect();
    assert!(runs.len() > 60, "{}", runs.len());
    let home = executor.claude.home();
    for (number, run) in &runs {
        let file = |name: &str| home.join(format!("{number}.{name}"));
        fs::write(file("out"), run["stdout"].as_str().unwrap()).unwrap();
        fs::write(file("err"), run["stderr"].as_str().unwrap()).unwrap();
        fs::write(file("code"), run["exit_code"].to_string()).unwrap();
    }
    // Runs in one work tree wait for each other.
    std::thread::scope(|scope| {
        for part in runs.chunks(runs.len().div_ceil(4)) {
            let executor = &executor;
            scope.spawn(move || {
                let repository = Repository::new();
                for (number, run) in part {
                    check(executor, &repository, *number, run);
                }
            });
        }
    });
    executor.assert_nothing_runs();
}

fn check(executor: &Executor, repository: &Repository, number: usize, run: &Value) {
    let params = json!({"instruction": number.to_string(), "output_format": "stream-json"});
    let started = executor.start(repository, &params);
    let result = executor.result(&started);
    let name = format!(
        "{}/{}",
        run["case"].as_str().unwrap(),
        run["run"].as_str().unwrap()
    );
    let message = result.error_message.unwrap_or_default();
    match FAILED.iter().find(|(known, _)| *known == name) {
        Some((_, expected)) => {
            assert_eq!(result.status.name(), "failed", "{name}");
            assert!(message.contains(expected), "{name}: {message}");
        }
        None => assert_eq!((result.status.name(), &*message), ("success", ""), "{name}"),
    }
    assert_eq!(result.stdout, run["stdout"].as_str().unwrap(), "{name}");
    assert_eq!(result.stderr, run["stderr"].as_str().unwrap(), "{name}");
    assert_eq!(json!(result.usage.exit_code), run["exit_code"], "{name}");
}
