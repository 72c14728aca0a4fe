//! Results of a project without reports, from what hooks and sessions recorded.

use super::{MemoryClient, assert_has};
use crate::hook::silent_hook;
use crate::support::executable::write_script;
use crate::support::{Daemon, eventually};
use serde_json::{Value, json};
use std::path::Path;

fn saved(memory: &MemoryClient<'_>) -> Value {
    memory.ok(&["save"]);
    memory.shown()
}

fn passed(cwd: &Path, command: &str, stdout: &str) -> Value {
    json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "cwd": cwd, "tool_input": {"command": command},
        "tool_response": {"stdout": stdout, "stderr": "", "interrupted": false}})
}

#[test]
fn the_last_test_and_the_last_failing_build_of_hooks_are_in_the_memory() {
    let daemon = Daemon::start();
    let (project, other) = (super::project(), super::project());
    let memory = MemoryClient::of(&daemon, project.root());
    let line = "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    let folder = project.root().join("src");
    silent_hook(&daemon, &passed(&folder, "cd .. && cargo test", line));
    let nine = line.replace('5', "9");
    silent_hook(&daemon, &passed(other.root(), "cargo test", &nine));
    let commit = "git commit -m 'test it'";
    silent_hook(&daemon, &passed(project.root(), commit, "1 file changed"));
    let failed = json!({"session_id": "s", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "cwd": project.root(),
        "tool_input": {"command": "npm run build"}, "error": "Exit code 2\nsrc/a.ts(1,2): error TS2304: no name"});
    silent_hook(&daemon, &failed);
    let found = eventually("the payloads are processed", || {
        let found = saved(&memory);
        let is_known = found["environment"]["build"]["status"] == "failed";
        is_known.then_some(found)
    });
    let unit = &found["testResults"]["unit"];
    let counts = (&unit["passed"], &unit["status"]);
    assert_eq!(counts, (&json!(5), &json!("passed")), "{found:#}");
    assert_eq!(unit["command"], "cargo test");
    let source = &found["provenance"]["testResults.unit"]["source"];
    assert_eq!(source, "hook events");
    let errors = found["environment"]["build"]["errors"].to_string();
    assert_has(&errors, &["TS2304"]);

    // What they report after a save is a change. Times of a memory are in whole seconds.
    let status = eventually("the payload is processed and newer than the save", || {
        silent_hook(&daemon, &passed(project.root(), "cargo test", line));
        let status = memory.ok(&["status"]);
        status.contains("ran again").then_some(status)
    });
    let expected = "unit tests ran again: 0 failed, 5 passed, from hook events";
    assert_has(&status, &[expected]);
    let expected = "Unit tests: 5/5 passed, from hook events";
    assert_has(&memory.ok(&["load"]), &[expected]);
}

#[test]
fn a_program_that_the_daemon_ran_and_the_task_of_claude_codes_own_list_are_in_the_memory() {
    let daemon = Daemon::start();
    let project = super::project();
    let memory = MemoryClient::of(&daemon, project.root());
    let script = "#!/bin/sh\necho '===== 1 failed, 4 passed in 0.12s ====='\nexit 1\n";
    write_script(&project.root().join("pytest"), script);
    let mut command = memory.client.command(&["run", "--", "./pytest"]);
    let ran = command.current_dir(project.root()).output().unwrap();
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let found = eventually("the history is written", || {
        let found = saved(&memory);
        let is_known = found["testResults"]["unit"]["status"] == "failed";
        is_known.then_some(found)
    });
    let source = found["provenance"]["testResults.unit"]["source"].to_string();
    assert_has(&source, &["session "]);

    // The task of the list is current, as it is newer than the plan.
    let name = memory
        .at
        .replace(|char: char| !char.is_ascii_alphanumeric(), "-");
    let folder = daemon.home().join(".claude/projects").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let todos =
        json!([{"content": "Fix the lamp", "status": "in_progress", "activeForm": "Fixing"}]);
    let line = json!({"type": "assistant", "uuid": "u", "sessionId": "s", "timestamp": "2999-01-01T00:00:00Z",
        "message": {"id": "m", "content": [{"type": "tool_use", "id": "t", "name": "TodoWrite", "input": {"todos": todos}}]}});
    std::fs::write(folder.join("s.jsonl"), format!("{line}\n")).unwrap();
    let found = saved(&memory);
    assert_eq!(found["taskStatus"]["currentTask"]["title"], "Fix the lamp");
    let source = &found["provenance"]["taskStatus.currentTask"]["source"];
    assert_eq!(source, "transcript s.jsonl");
}
