//! Results of a project without reports, from what hooks and sessions recorded.

use crate::hook::silent_hook;
use crate::support::executable::write_script;
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::{Value, json};
use std::path::Path;

fn saved(client: &Ccctl<'_>, at: &str) -> Value {
    client.ok(&["memory", "save", "--project", at]);
    super::shown(client, at)
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
    let at = project.root().to_str().unwrap();
    let line = "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    let folder = project.root().join("src");
    silent_hook(&daemon, &passed(&folder, "cd .. && cargo test", line));
    silent_hook(
        &daemon,
        &passed(other.root(), "cargo test", &line.replace('5', "9")),
    );
    silent_hook(
        &daemon,
        &passed(project.root(), "git commit -m 'test it'", "1 file changed"),
    );
    let failed = json!({"session_id": "s", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "cwd": project.root(),
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

    // What they report after a save is a change. Times of a memory are in whole seconds.
    let status = eventually("the payload is processed and newer than the save", || {
        silent_hook(&daemon, &passed(project.root(), "cargo test", line));
        let status = client.ok(&["memory", "status", "--project", at]);
        status.contains("ran again").then_some(status)
    });
    let expected = "unit tests ran again: 0 failed, 5 passed, from hook events";
    assert!(status.contains(expected), "{status}");
    let digest = client.ok(&["memory", "load", "--project", at]);
    assert!(
        digest.contains("Unit tests: 5/5 passed, from hook events"),
        "{digest}"
    );
}

#[test]
fn a_program_that_the_daemon_ran_and_the_task_of_claude_codes_own_list_are_in_the_memory() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = super::project();
    let at = project.root().to_str().unwrap();
    write_script(
        &project.root().join("pytest"),
        "#!/bin/sh\necho '===== 1 failed, 4 passed in 0.12s ====='\nexit 1\n",
    );
    let mut command = client.command(&["run", "--", "./pytest"]);
    let ran = command.current_dir(project.root()).output().unwrap();
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let memory = eventually("the history is written", || {
        let memory = saved(&client, at);
        let is_known = memory["testResults"]["unit"]["status"] == "failed";
        is_known.then_some(memory)
    });
    let source = memory["provenance"]["testResults.unit"]["source"].to_string();
    assert!(source.contains("session "), "{source}");

    // The task of the list is current, as it is newer than the plan.
    let name = at.replace(|char: char| !char.is_ascii_alphanumeric(), "-");
    let folder = daemon.home().join(".claude/projects").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let todos =
        json!([{"content": "Fix the lamp", "status": "in_progress", "activeForm": "Fixing"}]);
    let line = json!({"type": "assistant", "uuid": "u", "sessionId": "s", "timestamp": "2999-01-01T00:00:00Z",
        "message": {"id": "m", "content": [{"type": "tool_use", "id": "t", "name": "TodoWrite", "input": {"todos": todos}}]}});
    std::fs::write(folder.join("s.jsonl"), format!("{line}\n")).unwrap();
    let memory = saved(&client, at);
    assert_eq!(memory["taskStatus"]["currentTask"]["title"], "Fix the lamp");
    assert_eq!(
        memory["provenance"]["taskStatus.currentTask"]["source"],
        "transcript s.jsonl"
    );
}
