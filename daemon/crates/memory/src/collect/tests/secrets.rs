//! No secret in the file, wherever it was.

use super::projects::fixtures;
use crate::{MEMORY_FILE, redact, save};
use ccd_protocol::memory::{
    BlockerEntry, FileReference, NextStep, SessionMemory, TaskReference, TestFailure,
};
use serde_json::Value;

fn joined(value: &Value) -> String {
    value["join"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part.as_str().unwrap())
        .collect()
}

/// A memory that has a text in every field.
fn everywhere(text: &str) -> SessionMemory {
    let text = || text.to_owned();
    let mut memory = SessionMemory::default();
    memory.metadata.project_name = text();
    memory.metadata.branch = text();
    memory.metadata.generated_at = "2026-03-02T10:00:00Z".to_owned();
    memory.metadata.version = "1.0".to_owned();
    memory.summary.project_description = text();
    memory.summary.major_blocker = Some(text());
    memory.summary.next_action = text();
    memory.task_status.next_tasks = vec![TaskReference {
        id: String::new(),
        title: text(),
        phase: text(),
    }];
    memory.blockers = vec![BlockerEntry {
        title: text(),
        description: text(),
        required_action: text(),
        ..Default::default()
    }];
    memory.test_results.unit.command = text();
    memory.test_results.unit.failures = vec![TestFailure {
        file: text(),
        line: None,
        test_name: text(),
        message: Some(text()),
    }];
    memory.environment.build.errors = Some(vec![text()]);
    memory.files_needing_attention = vec![FileReference {
        path: text(),
        reason: text(),
        ..Default::default()
    }];
    memory.next_steps = vec![NextStep {
        action: text(),
        reference: Some(text()),
        ..Default::default()
    }];
    memory
}

#[test]
fn no_secret_of_the_fixture_is_in_the_file() {
    let fixture: Value =
        serde_json::from_slice(&std::fs::read(fixtures().join("sensitive.json")).unwrap()).unwrap();
    for case in fixture["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        let text = joined(&case["text"]);
        if case["optional"] == true {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let saved = save(folder.path(), everywhere(&text), &Default::default());
        let saved = saved.unwrap_or_else(|error| panic!("{id}: {error}"));
        let file = std::fs::read_to_string(folder.path().join(MEMORY_FILE)).unwrap();
        for secret in case["must_not_contain"].as_array().into_iter().flatten() {
            assert!(!file.contains(&joined(secret)), "{id}: {file}");
        }
        if case["must_survive"] == true {
            assert_eq!(
                (saved.redacted, redact(everywhere(&text)).0),
                (0, everywhere(&text)),
                "{id}"
            );
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
    let folder = tempfile::tempdir().unwrap();
    let mut memory = everywhere("x");
    let task = &mut memory.task_status.next_tasks[0];
    "smbclient -U me //srv/share".clone_into(&mut task.title);
    "hunter2secret".clone_into(&mut task.phase);
    let saved = save(folder.path(), memory, &Default::default()).unwrap();
    let file = std::fs::read_to_string(folder.path().join(MEMORY_FILE)).unwrap();
    assert!(
        saved.redacted > 0 && !file.contains("hunter2secret"),
        "{file}"
    );
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
