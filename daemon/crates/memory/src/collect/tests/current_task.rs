//! The list of Claude Code beside the plan.

use super::bad_input::write;
use crate::{Collected, Recorded, RecordedTask, collect};
use std::path::Path;

fn with_list(root: &Path, title: &str, at: &str) -> Collected {
    let recorded = Recorded {
        task: Some(RecordedTask {
            title: title.to_owned(),
            at: at.to_owned(),
            source: "transcript s.jsonl".to_owned(),
        }),
        ..Recorded::default()
    };
    collect(root, None, &recorded).unwrap()
}

const LATER: &str = "2999-01-01T00:00:00Z";

#[test]
fn a_newer_list_of_claude_code_has_the_current_task() {
    let folder = tempfile::tempdir().unwrap();
    let plan = "## Phase 1: Core\n- [x] T001 Start\n- [ ] T002 Go on\n- [ ] T003 End\n";
    write(folder.path(), "tasks.md", plan);
    let found = with_list(folder.path(), "Fix the lamp", LATER);
    let tasks = &found.memory.task_status;
    let current = tasks.current_task.as_ref().unwrap();
    assert_eq!((&*current.id, &*current.title), ("", "Fix the lamp"));
    assert_eq!(tasks.next_tasks[0].id, "T002");
    assert_eq!(found.memory.next_steps[0].action, "Complete Fix the lamp");
    assert_eq!(
        found.notes.provenance["taskStatus.currentTask"].source,
        "transcript s.jsonl"
    );
    // The same task as in the plan, under its id.
    let found = with_list(folder.path(), "T003: finish it", LATER);
    let tasks = &found.memory.task_status;
    assert_eq!(tasks.current_task.as_ref().unwrap().title, "End");
    assert_eq!(tasks.next_tasks.len(), 1);
}

#[test]
fn a_list_that_is_older_than_the_plan_or_has_no_time_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let none = with_list(folder.path(), "Only", LATER).memory.task_status;
    assert_eq!(none.current_task.unwrap().title, "Only");
    write(
        folder.path(),
        "tasks.md",
        "- [x] T001 Start\n- [ ] T002 Go on\n",
    );
    for at in ["2001-01-01T00:00:00Z", "soon"] {
        let found = with_list(folder.path(), "Old", at);
        let current = found.memory.task_status.current_task.unwrap();
        assert_eq!(current.id, "T002", "{at}");
        assert!(
            !found
                .notes
                .provenance
                .contains_key("taskStatus.currentTask")
        );
    }
}
