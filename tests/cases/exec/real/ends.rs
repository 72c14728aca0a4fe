//! Runs that do not succeed.

use crate::support::eventually;
use crate::support::exec::{Claude, Executor, Ran, Repository, bash};
use crate::support::processes::with_variable;
use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::{Value, json};
use std::fs;

fn ran(answers: &Value, more: &Value) -> Option<Ran> {
    Some(Executor::with_answers(answers)?.run(&Repository::new(), more))
}

/// A model that always answers with this step.
fn always(step: &Value) -> Value {
    json!({"lanes": [{"name": "main", "on_exhausted": "last", "steps": [step]}]})
}

#[test]
fn an_error_of_the_api_is_a_claude_that_is_unusable() {
    let error = json!({"status": 401, "type": "authentication_error", "message": "invalid"});
    if let Some(ran) = ran(&always(&json!({ "error": error })), &json!({})) {
        let result = ran.ended_as("failed", "not logged in");
        assert_eq!(result.error_kind.as_deref(), Some("claude_unusable"));
    }
}

#[test]
fn a_network_that_is_down_is_named() {
    let Some(mut claude) = Claude::real(&json!([])) else {
        return;
    };
    claude.set("ANTHROPIC_BASE_URL", "http://127.0.0.1:9");
    let ran = Executor::new(claude).run(&Repository::new(), &json!({}));
    let result = ran.ended_as("failed", "the API of Claude cannot be reached");
    assert_eq!(result.error_kind.as_deref(), Some("claude_unusable"));
}

#[test]
fn a_refusal_of_the_model_is_a_failure_with_its_words() {
    let refusal = json!({"text": "", "stop_reason": "refusal"});
    if let Some(ran) = ran(&always(&refusal), &json!({})) {
        ran.ended_as("failed", "legal/aup");
    }
}

#[test]
fn bypassing_permissions_as_root_is_refused_with_the_reason() {
    if geteuid().is_root()
        && let Some(ran) = ran(&json!([]), &json!({"permission_mode": "bypassPermissions"}))
    {
        let result = ran.ended_as("failed", "root");
        assert_eq!(result.error_kind.as_deref(), Some("claude_unusable"));
    }
}

/// Two processes of a tool: one in a session of its own, and both run for long.
const SLEEPS: &str = "touch \"$HOME/started\"; setsid sleep 301.5 & sleep 300.5";

#[test]
fn at_its_time_limit_a_run_ends_with_all_processes_of_its_tools() {
    // A run that ends before its tool starts has used up an answer, so it is given again.
    let Some(executor) = Executor::with_answers(&always(&bash(SLEEPS))) else {
        return;
    };
    let repository = Repository::new();
    // A slow machine may need longer until the tool runs.
    let mut limits = [3, 6, 12, 24, 48].into_iter();
    let (limit, ran) = loop {
        let limit = limits.next().expect("the tool never started");
        let params = json!({"timeout": limit, "output_format": "stream-json"});
        let ran = executor.run(&repository, &params);
        if executor.claude.home().join("started").exists() {
            break (limit, ran);
        }
    };
    let result = ran.ended_as("timeout", &format!("time limit of {limit} seconds"));
    let elapsed = result.execution_time;
    assert!(elapsed >= f64::from(limit), "{elapsed}");
    let stdout = &result.stdout; // what was printed until then
    assert!(stdout.contains("sleep 300.5"), "{stdout}");
}

#[test]
fn a_run_that_somebody_else_interrupts_fails_whatever_its_exit_code() {
    let Some(executor) = Executor::with_answers(&json!([bash(SLEEPS), "late"])) else {
        return;
    };
    let repository = Repository::new();
    let started = executor.start(&repository, &json!({"output_format": "stream-json"}));
    executor.wait_for_file("started");
    interrupt(&executor);
    let result = executor.result(&started);
    executor.assert_nothing_runs();
    assert_eq!(result.status.name(), "failed");
    let message = result.error_message.unwrap();
    // Claude Code may exit before it has printed that, also with 0.
    let is_named = ["interrupted", "printed no result"]
        .iter()
        .any(|part| message.contains(part));
    assert!(is_named, "{message}\n{}", result.stdout);
}

/// Interrupts Claude Code itself.
fn interrupt(executor: &Executor) {
    let program = executor.claude.program().canonicalize().unwrap();
    let is_claude =
        |pid: &i32| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == program);
    let pid = eventually("Claude Code runs", || {
        with_variable(&executor.claude.mark())
            .into_iter()
            .find(is_claude)
    });
    kill_process(Pid::from_raw(pid).unwrap(), Signal::INT).unwrap();
}

#[test]
fn a_command_in_the_background_has_a_grace_after_the_answer() {
    let command =
        json!({"command": "sleep 300.25", "description": "wait", "run_in_background": true});
    let answers = json!([{"tool": {"name": "Bash", "input": command}}, "Started it.", "It ended."]);
    let Some(claude) = Claude::real(&answers) else {
        return;
    };
    let executor = Executor::configured(claude, &json!({"grace_s": 1}));
    let ran = executor.run(&Repository::new(), &json!({"output_format": "text"}));
    let result = ran.succeeded_and_changed(&[]);
    let stdout = &result.stdout;
    assert!(stdout.starts_with("Started it."), "{stdout}");
    assert!(result.execution_time < 20.0, "{}", result.execution_time);
}
