//! What a run does to branches and to commits that it did not make.

use crate::support::exec::{Executor, Repository};
use serde_json::json;

/// What the scripts below are made of.
const FUNCTIONS: &str = r#"
made() { echo x > x.txt; git add .; git commit -qm X; }
on() { git checkout -q "$@"; }
reset() { git reset -q --hard "$@"; }
"#;

const DROPPED: &str = "the run dropped 1 commit from before it: ";
const NO_BRANCH: &str = "the run made 1 commit on no branch: ";
const DETACHED: &str = "the run left the branch main and ended on a commit without a branch";
const LEFT: &str = "the run left the branch main and ended on other";
const OTHER: &str =
    "the run made 1 commit on the branch other, which is not checked out at its end: ";
const STASH: &str = "the run removed a stash from before it; git stash apply --index ";

#[test]
fn dropped_commits_and_branches_that_are_left_are_warnings_and_a_commit_hash_is_a_new_commit() {
    let two = DROPPED.replace("1 commit", "2 commits");
    for (script, commits, warnings) in [
        ("true", 0, &[][..]),
        ("made", 1, &[]),
        ("reset HEAD~1", 0, &[DROPPED]),
        ("reset HEAD~2", 0, &[&*two]),
        ("git commit -q --amend -m Other", 1, &[DROPPED]),
        // It is still on another branch, but no longer on this one.
        ("git branch -q kept; reset HEAD~1", 0, &[DROPPED]),
        ("git branch -q -D side", 0, &[DROPPED]),
        ("on -b other; made", 1, &[LEFT]),
        ("git branch -q -m side other; on other", 0, &[LEFT]),
        ("on -b other; made; on main", 0, &[OTHER]),
        ("on --detach", 0, &[DETACHED]),
        ("on --detach; made", 1, &[DETACHED, NO_BRANCH]),
        ("on --detach; made; on main", 0, &[NO_BRANCH]),
        ("on --detach; made; git branch other; on main", 0, &[OTHER]),
        ("git stash clear", 0, &[STASH]),
        // A stash is no branch, and what it holds is not dropped.
        ("echo x > kept.txt; git stash -q", 0, &[]),
        ("git tag -d old", 0, &[]),
    ] {
        let script = format!("init; {FUNCTIONS} {{ {script}; }} >&2; result");
        let executor = Executor::with_script(&script);
        let repository = Repository::new();
        for name in ["second", "third"] {
            repository.write("kept.txt", format!("{name}\n"));
            repository.commit(name);
        }
        repository.git(&["tag", "old"]);
        repository.write("old.txt", "put away\n");
        repository.git(&["stash", "-q"]);
        repository.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
        repository.write("side.txt", "side\n");
        repository.commit("side");
        repository.git(&["checkout", "-q", "main"]);
        let dropped = repository.git(&["rev-parse", "HEAD"]);
        let started = executor.start(&repository, &json!({}));
        let result = executor.result(&started);
        let said = format!("{script}: {:?}", result.warnings);
        assert_eq!(result.error_message, None, "{script}");
        assert_eq!(result.commits.len(), commits, "{script}");
        let last = result.commits.last();
        assert_eq!(result.commit_hash.as_ref(), last, "{script}");
        assert_eq!(result.warnings.len(), warnings.len(), "{said}");
        for (warning, expected) in result.warnings.iter().zip(warnings) {
            assert!(warning.starts_with(expected), "{said}");
        }
        if script.contains("HEAD~1") {
            assert!(result.warnings[0].contains(&dropped[..10]), "{said}");
        }
    }
}
