//! Programs named `claude` that misbehave.

use crate::support::exec::{Claude, Executor, Ran, Repository};
use crate::support::processes::private_memory;
use crate::support::worker::worker;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

fn run(script: &str) -> Ran {
    Executor::with_script(script).run(&Repository::new(), &json!({"output_format": "text"}))
}

#[test]
fn a_claude_that_is_missing_is_an_error_of_its_own() {
    let executor = Executor::new(Claude::without_program());
    let message = executor.refused(&Repository::new(), &json!({}), "claude_not_found");
    assert!(message.contains("claude"), "{message}");
}

#[test]
fn a_claude_that_cannot_be_executed_is_unusable() {
    let repository = Repository::new();
    let executor = Executor::new(Claude::without_program());
    executor.claude.replace("#!/no/such/interpreter\n");
    executor.refused(&repository, &json!({}), "claude_unusable");
    executor
        .claude
        .replace("\u{7f}ELF is not all that a program needs");
    executor.refused(&repository, &json!({}), "claude_unusable");
}

#[test]
fn a_claude_that_is_too_old_is_unusable() {
    let executor =
        Executor::with_script("echo \"error: unknown option '--session-id'\" >&2; exit 1");
    let message = executor.refused(&Repository::new(), &json!({}), "claude_unusable");
    assert!(message.contains("too old"), "{message}");
}

#[test]
fn a_flood_of_a_hundred_megabytes_needs_little_memory_and_keeps_the_result() {
    let flood = "init; say first; head -c 100000000 /dev/zero | tr '\\0' x | fold -w 999; echo; result 'Still here.'";
    let executor = Executor::with_script(flood);
    let repository = Repository::new();
    let pid = worker(&executor.daemon);
    let before = private_memory(pid);
    let ran = executor.run(&repository, &json!({"output_format": "text"}));
    assert!(
        ran.succeeded_and_changed(&[])
            .stdout
            .contains("Still here.")
    );
    let grown = private_memory(pid).saturating_sub(before);
    assert!(grown < 100 << 20, "{} MiB", grown >> 20);
}

#[test]
fn a_line_of_a_hundred_megabytes_needs_little_memory_and_the_next_ones_count() {
    let executor = Executor::with_script(
        "init; head -c 100000000 /dev/zero | tr '\\0' x; echo; result 'Still here.'",
    );
    let ran = executor.run(&Repository::new(), &json!({"output_format": "text"}));
    assert!(
        ran.succeeded_and_changed(&[])
            .stdout
            .contains("Still here.")
    );
}

#[test]
fn a_flood_of_standard_error_does_not_stop_a_run() {
    let ran = run("init; head -c 50000000 /dev/zero | tr '\\0' e | fold -w 99 >&2; result");
    let stderr = &ran.succeeded_and_changed(&[]).stderr;
    assert!(
        stderr.contains("eeee") && stderr.len() < 50_000_000,
        "{}",
        stderr.len()
    );
}

#[test]
fn half_a_line_of_json_before_death_is_a_failure_that_keeps_it() {
    let executor =
        Executor::with_script("init; printf '{\"type\":\"result\",\"subtype\":\"succ'; kill -9 $$");
    let ran = executor.run(&Repository::new(), &json!({"output_format": "stream-json"}));
    let result = ran.ended_as("failed", "signal 9");
    // What reads the stream as JSON goes on.
    let last = result.stdout.lines().last().unwrap();
    let half = json!({"type": "unparsed_line", "line": "{\"type\":\"result\",\"subtype\":\"succ"});
    assert_eq!(serde_json::from_str::<Value>(last).unwrap(), half);
    assert_eq!(result.usage.exit_code, None);
}

#[test]
fn a_run_without_a_result_fails_whatever_its_exit_code() {
    run("init; say 'I forget the rest.'").ended_as("failed", "no result");
    run("exit 0").ended_as("failed", "no result");
    run("echo 'cannot go on' >&2; exit 7").ended_as("failed", "cannot go on");
    run("echo not json; echo '[1]'; echo null; echo '{}'; exit 0").ended_as("failed", "no result");
}

#[test]
fn a_good_result_with_another_exit_code_is_a_failure() {
    run("init; result; echo 'it went wrong at last' >&2; exit 1")
        .ended_as("failed", "it went wrong at last");
}

#[test]
fn the_last_of_several_results_counts() {
    let text = run("init; result One.; init; result Two.")
        .succeeded_and_changed(&[])
        .stdout
        .clone();
    assert!(text.contains("Two."), "{text}");
}

#[test]
fn lines_are_split_at_line_feeds_only() {
    let executor = Executor::with_script("init; result 'one\u{2028}two\u{85}three'");
    let ran = executor.run(&Repository::new(), &json!({"output_format": "text"}));
    assert_eq!(
        ran.succeeded_and_changed(&[]).stdout,
        "one\u{2028}two\u{85}three\n"
    );
}

#[test]
fn a_claude_that_closes_its_output_and_goes_on_is_waited_for() {
    let executor =
        Executor::with_script("init; result; exec >&- 2>&-; sleep 0.5; echo late > late.txt");
    let ran = executor.run(&Repository::new(), &json!({}));
    assert_eq!(
        ran.succeeded_and_changed(&["late.txt"]).files_changed,
        ["late.txt"]
    );
}

#[test]
fn a_claude_that_never_reads_its_input_gets_a_large_one_without_harm() {
    let claude = Claude::without_program();
    claude.replace("#!/bin/sh\nexec <&-\necho '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"x\"}'\n");
    let executor = Executor::new(claude);
    let instruction = "x".repeat(1_000_000);
    let ran = executor.run(&Repository::new(), &json!({"instruction": instruction}));
    ran.succeeded_and_changed(&[]);
}

#[test]
fn children_that_left_the_run_in_every_way_are_gone_after_it() {
    let forks = "init\n\
        sleep 311.1 &\n\
        setsid sleep 311.2 &\n\
        (setsid sh -c 'sleep 311.3 & exec sleep 311.4' &)\n\
        setsid nohup sh -c 'trap \"\" INT TERM HUP; while :; do sleep 311.5; done' >/dev/null 2>&1 &\n\
        env -i /bin/sh -c 'setsid sleep 311.6 &'\n\
        result";
    let executor = Executor::with_script(forks);
    let mut ran = executor.run(&Repository::new(), &json!({}));
    ran.succeeded_and_changed(&[]);
    // One of them does not have the variable by which the others are found.
    ran.changed.extend(
        crate::support::processes::with_command_line("sleep 311.6")
            .iter()
            .map(i32::to_string),
    );
    assert_eq!(ran.changed, [""; 0], "this one is left");
}

#[test]
fn the_environment_is_the_callers_without_marks_of_another_run() {
    let mut claude = Claude::script(
        "init; umask > \"$HOME/umask\"; env > \"$HOME/env\"; echo \"$arguments\" > \"$HOME/arguments\"; result",
    );
    for name in [
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_ENTRYPOINT",
    ] {
        claude.set(name, "other-run");
    }
    claude.set("OF_THE_CALLER", "yes");
    let executor = Executor::new(claude);
    executor
        .run(&Repository::new(), &json!({}))
        .succeeded_and_changed(&[]);
    let env = fs::read_to_string(executor.claude.home().join("env")).unwrap();
    assert!(
        env.contains("OF_THE_CALLER=yes") && !env.contains("other-run"),
        "{env}"
    );
    assert!(!env.contains("CCD_SECRET_OF_THE_DAEMON"), "{env}");
    let umask = Command::new("sh").args(["-c", "umask"]).output().unwrap();
    let umask = String::from_utf8(umask.stdout).unwrap();
    assert_eq!(executor.wait_for_file("umask"), umask);
    let arguments = fs::read_to_string(executor.claude.home().join("arguments")).unwrap();
    assert!(
        arguments.starts_with("-p --output-format stream-json --verbose --session-id "),
        "{arguments}"
    );
}
