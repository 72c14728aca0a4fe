//! Processes that are killed while they stash.

use super::stash::{add_unstored, dirty, everything};
use crate::WorkTree;
use crate::test_repository::git;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROOT: &str = "CCD_TEST_ROOT";
const MESSAGE: &str = "killed";

#[test]
#[ignore = "only as a process that is killed, by the test below"]
fn victim() {
    let Ok(root) = std::env::var(ROOT) else {
        return;
    };
    let tree = WorkTree::find(Path::new(&root)).unwrap();
    loop {
        let id = tree.stash_save(MESSAGE).unwrap().unwrap();
        tree.stash_clean(&id).unwrap();
        tree.stash_restore(&id).unwrap();
    }
}

#[test]
fn another_process_restores_what_a_killed_one_stashed() {
    let folder = dirty();
    let root = folder.path();
    add_unstored(root);
    let tree = WorkTree::find(root).unwrap();
    let before = everything(root);
    for round in 0..40 {
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "tests::killed::victim"])
            .env(ROOT, root)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Not a wait for anything: it is to be killed wherever it is.
        let moment = Instant::now() + Duration::from_micros(10_000 + 731 * round);
        while Instant::now() < moment {
            std::thread::yield_now();
        }
        victim.kill().unwrap();
        victim.wait().unwrap();
        // Its own: nobody else works here.
        for lock in ["index.lock", "refs/stash.lock", "logs/refs/stash.lock"] {
            let _ = std::fs::remove_file(root.join(".git").join(lock));
        }
        if let Some(id) = tree.stash_find(MESSAGE).unwrap() {
            tree.stash_restore(&id).unwrap();
            assert!(!root.join(".git/ccd-stash").exists());
        }
        assert_eq!(git(root, &["stash", "list"]), "");
        assert_eq!(everything(root), before, "round {round}");
    }
}
