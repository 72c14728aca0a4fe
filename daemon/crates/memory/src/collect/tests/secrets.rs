//! No secret in the file, wherever it was.

use super::projects::fixture;
use crate::rules::redact;
use crate::{MEMORY_FILE, Saved, save};
use ccd_protocol::memory::{SessionMemory, TaskReference};
use serde_json::{Value, json};

fn joined(value: &Value) -> String {
    let parts = value["join"].as_array().unwrap().iter();
    parts.map(|part| part.as_str().unwrap()).collect()
}

/// A memory that has a text in nearly every field.
fn everywhere(text: &str) -> SessionMemory {
    let suite = json!({
        "framework": "", "status": "failed", "passed": 0, "failed": 1, "total": 1, "percentage": 0.0, "command": text,
        "failures": [{"file": text, "line": null, "testName": text, "message": text}],
    });
    let memory = json!({
        "metadata": {"projectName": text, "branch": text, "generatedAt": "2026-03-02T10:00:00Z", "version": "1.0"},
        "summary": {
            "projectDescription": text, "completionStatus": "", "currentPhase": "", "majorBlocker": text, "nextAction": text,
        },
        "taskStatus": {
            "sourceFile": "", "phases": [], "currentTask": null, "nextTasks": [{"id": "", "title": text, "phase": text}],
        },
        "blockers": [{
            "priority": "high", "taskId": null, "title": text, "description": text, "requiredAction": text,
        }],
        "testResults": {"lastRun": null, "unit": suite, "e2e": suite},
        "environment": {
            "servers": [],
            "dependencies": {"status": "unknown", "lastInstall": null, "packageManager": "unknown"},
            "build": {"status": "failed", "lastBuild": null, "errors": [text]},
        },
        "filesNeedingAttention": [{"path": text, "line": null, "reason": text, "priority": "high"}],
        "nextSteps": [{"priority": "immediate", "action": text, "reference": text}],
    });
    serde_json::from_value(memory).unwrap()
}

/// Saves a memory and returns its file, too.
fn saved(memory: SessionMemory) -> (Saved, String) {
    let folder = tempfile::tempdir().unwrap();
    let saved = save(folder.path(), memory, &Default::default()).unwrap();
    let file = std::fs::read_to_string(folder.path().join(MEMORY_FILE)).unwrap();
    (saved, file)
}

#[test]
fn no_secret_of_the_fixture_is_in_the_file() {
    for case in fixture("sensitive.json")["cases"].as_array().unwrap() {
        if case["optional"] == true {
            continue;
        }
        let (id, text) = (&case["id"], joined(&case["text"]));
        let (saved, file) = saved(everywhere(&text));
        for secret in case["must_not_contain"].as_array().into_iter().flatten() {
            assert!(!file.contains(&joined(secret)), "{id}: {file}");
        }
        if case["must_survive"] == true {
            let mut memory = everywhere(&text);
            assert_eq!((saved.redacted, redact(&mut memory)), (0, 0), "{id}");
            assert_eq!(memory, everywhere(&text), "{id}");
        }
    }
}

#[test]
fn a_secret_across_the_place_where_a_text_is_cut_is_removed() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    for blanks in 80..100 {
        let text = format!("{}{token}", "x ".repeat(blanks / 2));
        let clipped = crate::model::clip(&text, 100);
        assert!(!clipped.contains("a1B2c3"), "{clipped}");
    }
}

#[test]
fn what_is_a_secret_only_beside_another_text_is_removed() {
    let mut memory = everywhere("x");
    let task = &mut memory.task_status.next_tasks[0];
    "smbclient -U me //srv/share".clone_into(&mut task.title);
    "hunter2secret".clone_into(&mut task.phase);
    let (saved, file) = saved(memory);
    let is_removed = saved.redacted > 0 && !file.contains("hunter2secret");
    assert!(is_removed, "{file}");
}

#[test]
fn a_list_of_masked_texts_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = everywhere("x");
    let ids = [
        "aws_secret_access_key = ***",
        "echo -n \"***\" | sudo -p '' -S id",
        "db.auth(\"me\", \"***\")",
        "***",
    ];
    let task = |id: &str| TaskReference {
        id: id.to_owned(),
        ..TaskReference::default()
    };
    memory.task_status.next_tasks = ids.map(task).to_vec();
    let saved = crate::save_given(folder.path(), memory);
    assert!(saved.is_ok(), "{saved:?}");
}
