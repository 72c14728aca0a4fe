//! Programs named `claude` that misbehave.

use crate::support::exec::{Claude, Executor, Repository};
use crate::support::processes::private_memory;
use crate::support::worker::worker;
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_claude_that_cannot_be_executed_or_is_too_old_is_unusable() {
    let repository = Repository::new();
    let executor = Executor::new(Claude::without_program());
    for program in [
        "#!/no/such/interpreter\n",
        "\u{7f}ELF is not all that a program needs",
    ] {
        executor.claude.replace(program);
        executor.refused(&repository, &json!({}), "claude_unusable");
    }
    let old = "echo \"error: unknown option '--session-id'\" >&2; exit 1";
    executor.claude.stand_in(old);
    let message = executor.refused(&repository, &json!({}), "claude_unusable");
    assert!(message.contains("too old"), "{message}");
}

#[test]
fn floods_of_lines_of_one_line_and_of_errors_need_little_memory_and_keep_the_result() {
    let executor = Executor::with_script("");
    let repository = Repository::new();
    let pid = worker(&executor.daemon);
    for flood in [
        "head -c 100000000 /dev/zero | tr '\\0' x | fold -w 999; echo",
        "head -c 100000000 /dev/zero | tr '\\0' x; echo",
        "head -c 50000000 /dev/zero | tr '\\0' e | fold -w 99 >&2",
    ] {
        let script = format!("init; say first; {flood}; result 'Still here.'");
        executor.claude.stand_in(&script);
        let before = private_memory(pid);
        let ran = executor.run(&repository, &json!({"output_format": "text"}));
        let result = ran.succeeded_and_changed(&[]);
        assert!(result.stdout.contains("Still here."), "{flood}");
        let (stderr, len) = (&result.stderr, result.stderr.len());
        assert_eq!(stderr.contains("eeee"), flood.contains(">&2"));
        assert!(len < 50_000_000, "{len}");
        let grown = private_memory(pid).saturating_sub(before);
        assert!(grown < 100 << 20, "{flood}: {} MiB", grown >> 20);
    }
}

#[test]
fn half_a_line_of_json_before_death_is_a_failure_that_keeps_it_and_no_process() {
    let executor = Executor::with_script(
        "init; setsid sleep 311.7 & sleep 311.8 & printf '{\"type\":\"result\",\"subtype\":\"succ'; kill -9 $$",
    );
    let ran = executor.run(&Repository::new(), &json!({"output_format": "stream-json"}));
    let result = ran.ended_as("failed", "signal 9");
    // What reads the stream as JSON goes on.
    let last = result.stdout.lines().last().unwrap();
    let half = json!({"type": "unparsed_line", "line": "{\"type\":\"result\",\"subtype\":\"succ"});
    assert_eq!(serde_json::from_str::<Value>(last).unwrap(), half);
    assert_eq!(result.usage.exit_code, None);
}

#[test]
fn a_claude_that_closes_its_output_and_goes_on_is_waited_for() {
    let executor =
        Executor::with_script("init; result; exec >&- 2>&-; sleep 0.5; echo late > late.txt");
    let ran = executor.run(&Repository::new(), &json!({}));
    let result = ran.succeeded_and_changed(&["late.txt"]);
    assert_eq!(result.files_changed, ["late.txt"]);
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
    let left = crate::support::processes::with_command_line("sleep 311.6");
    ran.changed.extend(left.iter().map(i32::to_string));
    assert_eq!(ran.changed, [""; 0], "this one is left");
}

#[test]
fn the_environment_is_the_callers_without_marks_of_another_run() {
    let mut claude = Claude::script(
        "init; umask > \"$HOME/umask\"; env > \"$HOME/env\"; echo \"$arguments\" > \"$HOME/arguments\"; result",
    );
    let marks =
        "CLAUDECODE CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_SESSION_ID CLAUDE_CODE_ENTRYPOINT";
    for name in marks.split(' ') {
        claude.set(name, "other-run");
    }
    claude.set("OF_THE_CALLER", "yes");
    let executor = Executor::new(claude);
    let ran = executor.run(&Repository::new(), &json!({}));
    ran.succeeded_and_changed(&[]);
    let env = fs::read_to_string(executor.claude.home().join("env")).unwrap();
    assert!(env.contains("OF_THE_CALLER=yes"), "{env}");
    for other in ["other-run", "CCD_SECRET_OF_THE_DAEMON"] {
        assert!(!env.contains(other), "{env}");
    }
    assert_eq!(executor.wait_for_file("umask"), "0022\n");
    let arguments = executor.wait_for_file("arguments");
    let start = "-p --output-format stream-json --verbose --session-id ";
    assert!(arguments.starts_with(start), "{arguments}");
}
