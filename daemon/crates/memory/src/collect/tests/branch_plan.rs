//! The plan of a branch.

use super::bad_input::write;
use crate::{Recorded, collect};
use std::process::Command;

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
