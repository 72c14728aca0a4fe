//! Results of a project without reports, from what hooks and sessions recorded.

use crate::hook::silent_hook;
use crate::support::executable::write_script;
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::{Value, json};
use std::path::Path;

fn saved(client: &Ccctl<'_>, at: &str) -> Value {
    client.ok(&["memory", "save", "--project", at]);
    serde_json::from_str(&client.ok(&["memory", "show", "--project", at, "--json"])).unwrap()
}

fn passed(cwd: &Path, command: &str, stdout: &str) -> Value {
    json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "cwd": cwd, "tool_input": {"command": command},
        "tool_response": {"stdout": stdout, "stderr": "", "interrupted": false}})
}

#[test]
fn the_last_test_and_the_last_failing_build_of_hooks_are_in_the_memory() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let (project, other) = (super::project(), super::project());
    let at = project.path().to_str().unwrap();
    let line = "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    let folder = project.path().join("src");
    silent_hook(&daemon, &passed(&folder, "cd .. && cargo test", line));
    silent_hook(
        &daemon,
        &passed(other.path(), "cargo test", &line.replace('5', "9")),
    );
    silent_hook(
        &daemon,
        &passed(project.path(), "git commit -m 'test it'", "1 file changed"),
    );
    let failed = json!({"session_id": "s", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "cwd": project.path(),
        "tool_input": {"command": "npm run build"}, "error": "Exit code 2\nsrc/a.ts(1,2): error TS2304: no name"});
    silent_hook(&daemon, &failed);
    let memory = eventually("the payloads are processed", || {
        let memory = saved(&client, at);
        let is_known = memory["environment"]["build"]["status"] == "failed";
        is_known.then_some(memory)
    });
    let unit = &memory["testResults"]["unit"];
    assert_eq!(
        (&unit["passed"], &unit["status"]),
        (&json!(5), &json!("passed")),
        "{memory:#}"
    );
    assert_eq!(unit["command"], "cargo test");
    assert_eq!(
        memory["provenance"]["testResults.unit"]["source"],
        "hook events"
    );
    let errors = memory["environment"]["build"]["errors"].to_string();
    assert!(errors.contains("TS2304"), "{errors}");
}

#[test]
fn a_program_that_the_daemon_ran_is_in_the_memory() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = super::project();
    let at = project.path().to_str().unwrap();
    write_script(
        &project.path().join("pytest"),
        "#!/bin/sh\necho '===== 1 failed, 4 passed in 0.12s ====='\nexit 1\n",
    );
    let mut command = client.command(&["run", "--", "./pytest"]);
    let ran = command.current_dir(project.path()).output().unwrap();
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let memory = eventually("the history is written", || {
        let memory = saved(&client, at);
        let is_known = memory["testResults"]["unit"]["status"] == "failed";
        is_known.then_some(memory)
    });
    let source = memory["provenance"]["testResults.unit"]["source"].to_string();
    assert!(source.contains("session "), "{source}");
}
