//! Tools that fail, and tools that are denied. `policy_claude` has the forms of policies.

use crate::support::exec::{Executor, Repository, bash};
use serde_json::{Value, json};

#[test]
fn a_call_that_fails_is_no_violation_and_one_that_is_not_on_the_whitelist_does_not_run() {
    let answers = json!([bash("git nothing"), bash("touch made"), "It failed."]);
    let Some(executor) = Executor::with_answers(&answers) else {
        return;
    };
    let allowed = json!({"allowed_tools": ["Read", "Bash(git:*)"]});
    let ran = executor.run(&Repository::new(), &allowed);
    assert_eq!(ran.succeeded_and_changed(&[]).mode, "whitelist");
    let violations = ran.result.policy_violations.iter();
    let commands = violations.map(|one| (&*one.tool_name, &one.tool_input["command"]));
    let commands: Vec<(&str, &Value)> = commands.collect();
    assert_eq!(commands, [("Bash", &json!("touch made"))]);
}
