//! Tools that fail, and tools that are denied.

use crate::support::exec::{Executor, Repository, bash, tool};
use serde_json::{Value, json};

/// A sub-agent that runs a command, and the main conversation that starts it.
fn with_sub_agent(command: &str, in_background: bool) -> Value {
    let agent = json!({
        "description": "help", "prompt": "make it", "subagent_type": "general-purpose", "run_in_background": in_background
    });
    json!({"lanes": [
        {"name": "agent", "match": {"is_subagent": true}, "on_exhausted": "last", "steps": [bash(command), "It is made."]},
        {"name": "main", "on_exhausted": "last", "steps": [tool("Agent", agent), "All done."]},
    ]})
}

#[test]
fn a_run_whose_tool_fails_succeeds_and_has_no_violation() {
    let Some(executor) = Executor::with_answers(&json!([bash("exit 3"), "It failed."])) else {
        return;
    };
    let ran = executor.run(&Repository::new(), &json!({}));
    assert_eq!(ran.succeeded_and_changed(&[]).policy_violations, []);
}

/// Runs `touch made` in any way that the model chose, and asserts that it was denied and is listed once.
fn denied(answers: &Value, more: &Value, mode: &str) {
    let Some(executor) = Executor::with_answers(answers) else {
        return;
    };
    let ran = executor.run(&Repository::new(), more);
    let result = ran.succeeded_and_changed(&[]);
    assert_eq!(result.mode, mode);
    let violations: Vec<(&str, &Value)> = result
        .policy_violations
        .iter()
        .map(|one| (&*one.tool_name, &one.tool_input["command"]))
        .collect();
    let is_compound = answers.to_string().contains("true; touch");
    let command = if is_compound {
        "true; touch made"
    } else {
        "touch made"
    };
    assert_eq!(violations, [("Bash", &json!(command))], "{}", result.stdout);
}

#[test]
fn a_tool_that_is_denied_by_name_does_not_run_and_is_listed() {
    denied(
        &json!([bash("touch made"), "Done."]),
        &json!({"disallowed_tools": ["Bash"]}),
        "blacklist",
    );
}

#[test]
fn a_call_that_is_denied_by_a_pattern_does_not_run_even_in_a_compound_command() {
    denied(
        &json!([bash("true; touch made"), "Done."]),
        &json!({"disallowed_tools": ["Bash(touch:*)"]}),
        "blacklist",
    );
}

#[test]
fn a_call_that_is_not_on_the_whitelist_does_not_run() {
    denied(
        &json!([bash("touch made"), "Done."]),
        &json!({"allowed_tools": ["Read", "Bash(ls:*)"]}),
        "whitelist",
    );
}

#[test]
fn a_sub_agent_does_not_run_what_is_denied() {
    denied(
        &with_sub_agent("touch made", false),
        &json!({"disallowed_tools": ["Bash(touch:*)"]}),
        "blacklist",
    );
}

#[test]
fn a_sub_agent_in_the_background_does_not_run_what_is_denied() {
    denied(
        &with_sub_agent("touch made", true),
        &json!({"disallowed_tools": ["Bash(touch:*)"]}),
        "blacklist",
    );
}

#[test]
fn what_a_sub_agent_in_the_background_changed_is_in_the_result() {
    let Some(executor) = Executor::with_answers(&with_sub_agent("echo made > made", true)) else {
        return;
    };
    let repository = Repository::new();
    let ran = executor.run(&repository, &json!({"output_format": "text"}));
    let result = ran.succeeded_and_changed(&["made"]);
    assert_eq!(result.files_changed, ["made"]);
    assert_eq!(result.diff, repository.diff_since("HEAD"));
}
