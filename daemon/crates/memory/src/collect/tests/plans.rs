//! Which plan counts, what is in it, and the list of Claude Code beside it.

use super::{collected, git, memory, with, write};
use crate::{Collected, Recorded, RecordedTask};
use std::path::Path;

#[test]
fn without_a_plan_of_the_branch_the_one_that_git_changed_last_counts() {
    // The first one has more tasks, and all files are of the same moment.
    let folder = with(&[
        ("specs/005-a/tasks.md", "- [ ] T001 A\n- [ ] T002 B\n"),
        ("specs/014-b/tasks.md", "- [ ] T001 C\n"),
        ("specs/009-c/tasks.md", "- [ ] T001 D\n"),
    ]);
    let root = folder.path();
    git(root, "", &["init", "-q", "-b", "main"]);
    for (plan, date) in [("009-c", "2024"), ("014-b", "2026"), ("005-a", "2025")] {
        let date = format!("{date}-01-01T00:00:00Z");
        git(root, &date, &["add", &format!("specs/{plan}")]);
        git(root, &date, &["commit", "-q", "-m", plan]);
    }
    // The commit of 005 comes last, but its date is what counts.
    let plan = || memory(root).task_status.source_file;
    assert_eq!(plan(), "specs/014-b/tasks.md");
    git(root, "", &["checkout", "-q", "-b", "009-other-words"]);
    assert_eq!(plan(), "specs/009-c/tasks.md");
    git(root, "", &["checkout", "-q", "main"]);
    write(root, "specs/005-a/tasks.md", "- [x] T001 A\n- [ ] T002 B\n");
    assert_eq!(plan(), "specs/005-a/tasks.md");
}

#[test]
fn a_branch_with_a_slash_has_its_plan_in_each_of_three_directories() {
    for own in ["specs/feat/foo", "specs/feat-foo", "specs/foo"] {
        let plan = format!("{own}/tasks.md");
        let folder = with(&[(&plan, "- [ ] T001 Ours\n")]);
        git(folder.path(), "", &["init", "-q", "-b", "feat/foo"]);
        // It is newer and has more tasks.
        let other = "- [ ] T001 Other\n- [ ] T002 More\n";
        write(folder.path(), "specs/zoo/tasks.md", other);
        assert_eq!(memory(folder.path()).task_status.source_file, plan);
    }
}

#[test]
fn a_marker_that_is_not_done_is_not_done() {
    let plan = "- [x] 1. Set up\n- [-] 2. Login\n  - [x] 2.1 Form\n  - [-] 2.2 Session\n  - [ ]* 2.3 Tests\n- [ ]* 3. Docs\n";
    let kiro = memory(with(&[(".kiro/specs/login/tasks.md", plan)]).path());
    assert_eq!(kiro.summary.completion_status, "2/4 tasks complete (50.0%)");
    let current = kiro.task_status.current_task.unwrap();
    assert_eq!((&*current.id, &*current.title), ("2.2", "Session"));

    let marks = ["/", "!", "?", "*", ".", "o", "  ", "✔", " x", "x "];
    let tasks = marks.map(|mark| format!("- [{mark}] Task {mark}\n"));
    let others = "- [1] none\n- [see] none\n- [ ] DEFERRED: x\n";
    let folder = with(&[("tasks.md", &(tasks.concat() + others))]);
    let status = memory(folder.path()).summary.completion_status;
    assert_eq!(status, "3/10 tasks complete (30.0%)");
}

#[test]
fn numbered_phases_have_no_phases_in_them() {
    let plan = "# Tasks\n## Phase 1: Setup\n- [x] T001 A\n### Tests\n- [x] T002 B\n## Phase 2: Core\n### Tests\n- [ ] T003 C\n";
    let phases = memory(with(&[("tasks.md", plan)]).path())
        .task_status
        .phases;
    let phases = phases.iter();
    let phases: Vec<_> = phases
        .map(|one| (&*one.name, one.completed, one.total))
        .collect();
    assert_eq!(phases, [("Setup", 2, 2), ("Core", 0, 1)]);
}

#[test]
fn tasks_in_comments_and_in_blocks_of_code_do_not_count_and_hide_no_others() {
    for (before, counts) in [
        ("<!--\n```\n-->\n", true),
        ("<!--\n```\n- [ ] T000 Old\n-->\n", true),
        ("<!-- ``` -->\n", true),
        ("<!--\n~~~\n<!--\n--> text\n", true),
        ("```\n<!--\n- [ ] T000 Old\n```\n", true),
        ("~~~~\n```\n-->\n~~~~\n", true),
        ("Write `<!--` before it.\n", true),
        ("<!--\n```\n", false),
        ("```\n-->\n", false),
    ] {
        let plan = format!("{before}- [ ] T001 A\n");
        let phases = memory(with(&[("tasks.md", &plan)]).path())
            .task_status
            .phases;
        let total: u64 = phases.iter().map(|phase| phase.total).sum();
        assert_eq!(total, u64::from(counts), "{before:?}");
    }
}

const LATER: &str = "2999-01-01T00:00:00Z";

fn with_list(root: &Path, title: &str, at: &str) -> Collected {
    let task = RecordedTask {
        title: title.to_owned(),
        at: at.to_owned(),
        source: "transcript s.jsonl".to_owned(),
    };
    let recorded = Recorded {
        task: Some(task),
        ..Recorded::default()
    };
    collected(root, None, &recorded)
}

#[test]
fn a_newer_list_of_claude_code_has_the_current_task() {
    let plan = "## Phase 1: Core\n- [x] T001 Start\n- [ ] T002 Go on\n- [ ] T003 End\n";
    let folder = with(&[("tasks.md", plan)]);
    let found = with_list(folder.path(), "Fix the lamp", LATER);
    let tasks = &found.memory.task_status;
    let current = tasks.current_task.as_ref().unwrap();
    assert_eq!((&*current.id, &*current.title), ("", "Fix the lamp"));
    assert_eq!(tasks.next_tasks[0].id, "T002");
    assert_eq!(found.memory.next_steps[0].action, "Complete Fix the lamp");
    let source = &found.notes.provenance["taskStatus.currentTask"].source;
    assert_eq!(source, "transcript s.jsonl");
    // The same task as in the plan, under its id.
    let found = with_list(folder.path(), "T003: finish it", LATER);
    let tasks = found.memory.task_status;
    assert_eq!(tasks.current_task.unwrap().title, "End");
    assert_eq!(tasks.next_tasks.len(), 1);
}

#[test]
fn a_list_that_is_older_than_the_plan_or_has_no_time_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let none = with_list(folder.path(), "Only", LATER).memory.task_status;
    assert_eq!(none.current_task.unwrap().title, "Only");
    let plan = "- [x] T001 Start\n- [ ] T002 Go on\n";
    write(folder.path(), "tasks.md", plan);
    for at in ["2001-01-01T00:00:00Z", "soon"] {
        let found = with_list(folder.path(), "Old", at);
        let current = found.memory.task_status.current_task.unwrap();
        assert_eq!(current.id, "T002", "{at}");
        let provenance = found.notes.provenance;
        assert!(!provenance.contains_key("taskStatus.currentTask"));
    }
}
