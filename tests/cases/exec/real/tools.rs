//! Tools that fail, and tools that are denied. `policy_claude` has the forms of policies.

use crate::support::exec::{Executor, Ran, Repository, bash, tool};
use serde_json::{Value, json};

/// Asserts that one command was denied, and that it is listed once.
fn assert_denied(ran: &Ran, command: &str) {
    let violations = ran.result.policy_violations.iter();
    let violations: Vec<(&str, &Value)> = violations
        .map(|one| (&*one.tool_name, &one.tool_input["command"]))
        .collect();
    let stdout = &ran.result.stdout;
    assert_eq!(violations, [("Bash", &json!(command))], "{stdout}");
}

#[test]
fn a_call_that_fails_is_no_violation_and_one_that_is_not_on_the_whitelist_does_not_run() {
    let answers = json!([bash("git nothing"), bash("touch made"), "It failed."]);
    let Some(executor) = Executor::with_answers(&answers) else {
        return;
    };
    let allowed = json!({"allowed_tools": ["Read", "Bash(git:*)"]});
    let ran = executor.run(&Repository::new(), &allowed);
    assert_eq!(ran.succeeded_and_changed(&[]).mode, "whitelist");
    assert_denied(&ran, "touch made");
}

#[test]
fn a_sub_agent_in_the_background_does_not_run_what_is_denied_and_what_it_changed_is_in_the_result()
{
    let agent = json!({
        "description": "help", "prompt": "make it", "subagent_type": "general-purpose", "run_in_background": true
    });
    let steps = json!([
        bash("true; touch bad"),
        bash("echo made > made"),
        "It is made."
    ]);
    let answers = json!({"lanes": [
        {"name": "agent", "match": {"is_subagent": true}, "on_exhausted": "last", "steps": steps},
        {"name": "main", "on_exhausted": "last", "steps": [tool("Agent", agent), "All done."]},
    ]});
    let Some(executor) = Executor::with_answers(&answers) else {
        return;
    };
    let repository = Repository::new();
    let disallowed = json!({"disallowed_tools": ["Bash(touch:*)"]});
    let ran = executor.run(&repository, &disallowed);
    let result = ran.succeeded_and_changed(&["made"]);
    assert_eq!(result.mode, "blacklist");
    assert_eq!(result.files_changed, ["made"]);
    assert_eq!(result.diff, repository.diff_since("HEAD"));
    assert_denied(&ran, "true; touch bad");
}
