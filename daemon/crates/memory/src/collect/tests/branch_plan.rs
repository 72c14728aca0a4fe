//! The plan of a branch.

use super::bad_input::write;
use crate::{Recorded, collect};
use ccd_protocol::memory::SessionMemory;
use std::path::Path;
use std::process::Command;

fn memory(root: &Path) -> SessionMemory {
    collect(root, None, &Recorded::default()).unwrap().memory
}

fn git(root: &Path, date: &str, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b.c"])
        .args(args);
    git.current_dir(root).env("GIT_COMMITTER_DATE", date);
    assert!(git.status().unwrap().success());
}

#[test]
fn without_a_plan_of_the_branch_the_one_that_git_changed_last_counts() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, "", &["init", "-q", "-b", "main"]);
    // The first one has more tasks, and all files are of the same moment.
    write(root, "specs/005-a/tasks.md", "- [ ] T001 A\n- [ ] T002 B\n");
    write(root, "specs/014-b/tasks.md", "- [ ] T001 C\n");
    write(root, "specs/009-c/tasks.md", "- [ ] T001 D\n");
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
fn a_marker_that_is_not_done_is_not_done() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let plan = ".kiro/specs/login/tasks.md";
    write(
        root,
        plan,
        "- [x] 1. Set up\n- [-] 2. Login\n  - [x] 2.1 Form\n  - [-] 2.2 Session\n  - [ ]* 2.3 Tests\n- [ ]* 3. Docs\n",
    );
    let kiro = memory(root);
    assert_eq!(kiro.summary.completion_status, "2/4 tasks complete (50.0%)");
    let current = kiro.task_status.current_task.unwrap();
    assert_eq!((&*current.id, &*current.title), ("2.2", "Session"));

    let marks = ["/", "!", "?", "*", ".", "o", "  ", "✔", " x", "x "];
    let tasks = marks.map(|mark| format!("- [{mark}] Task {mark}\n"));
    write(
        root,
        plan,
        &format!(
            "{}- [1] none\n- [see] none\n- [ ] DEFERRED: x\n",
            tasks.concat()
        ),
    );
    let others = memory(root);
    assert_eq!(
        others.summary.completion_status,
        "3/10 tasks complete (30.0%)"
    );
}

#[test]
fn a_branch_with_a_slash_has_its_plan_in_each_of_three_directories() {
    for own in ["specs/feat/foo", "specs/feat-foo", "specs/foo"] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let init = ["init", "-q", "-b", "feat/foo"];
        let git = Command::new("git").args(init).current_dir(root).status();
        assert!(git.unwrap().success());
        let plan = format!("{own}/tasks.md");
        write(root, &plan, "- [ ] T001 Ours\n");
        // It is newer and has more tasks.
        write(
            root,
            "specs/zoo/tasks.md",
            "- [ ] T001 Other\n- [ ] T002 More\n",
        );
        let memory = collect(root, None, &Recorded::default()).unwrap().memory;
        assert_eq!(memory.task_status.source_file, plan);
    }
}

#[test]
fn numbered_phases_have_no_phases_in_them() {
    let folder = tempfile::tempdir().unwrap();
    let plan = "# Tasks\n## Phase 1: Setup\n- [x] T001 A\n### Tests\n- [x] T002 B\n## Phase 2: Core\n### Tests\n- [ ] T003 C\n";
    write(folder.path(), "tasks.md", plan);
    let phases = memory(folder.path()).task_status.phases;
    let phases: Vec<(&str, u64, u64)> = phases
        .iter()
        .map(|phase| (&*phase.name, phase.completed, phase.total))
        .collect();
    assert_eq!(phases, [("Setup", 2, 2), ("Core", 0, 1)]);
}
