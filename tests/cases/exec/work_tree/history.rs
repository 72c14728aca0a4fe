//! What a run does to branches and to commits that it did not make.

use crate::support::exec::{Executor, Repository};
use serde_json::json;

#[test]
fn dropped_commits_and_branches_that_are_left_are_warnings_and_a_commit_hash_is_a_new_commit() {
    let made = "echo x > x.txt; git add .; git commit -qm X";
    for (script, commits, warnings) in [
        ("true".to_owned(), 0, vec![]),
        (made.to_owned(), 1, vec![]),
        (
            "git reset -q --hard HEAD~1".to_owned(),
            0,
            vec!["the run dropped 1 commit from before it: "],
        ),
        (
            "git reset -q --hard HEAD~2".to_owned(),
            0,
            vec!["the run dropped 2 commits from before it: "],
        ),
        (
            "git commit -q --amend -m Other".to_owned(),
            1,
            vec!["the run dropped 1 commit from before it: "],
        ),
        // It is still on another branch, but no longer on this one.
        (
            "git branch -q kept; git reset -q --hard HEAD~1".to_owned(),
            0,
            vec!["the run dropped 1 commit from before it: "],
        ),
        (
            "git branch -q -D side".to_owned(),
            0,
            vec!["the run dropped 1 commit from before it: "],
        ),
        (
            format!("git checkout -q -b other; {made}"),
            1,
            vec!["the run left the branch main and ended on other"],
        ),
        (
            "git checkout -q side".to_owned(),
            0,
            vec!["the run left the branch main and ended on side"],
        ),
        (
            format!("git checkout -q -b other; {made}; git checkout -q main"),
            0,
            vec![
                "the run made 1 commit on the branch other, which is not checked out at its end: ",
            ],
        ),
        (
            "git checkout -q --detach".to_owned(),
            0,
            vec!["the run left the branch main and ended on a commit without a branch"],
        ),
        (
            format!("git checkout -q --detach; {made}"),
            1,
            vec![
                "the run left the branch main and ended on a commit without a branch",
                "the run made 1 commit on no branch: ",
            ],
        ),
        (
            format!("git checkout -q --detach; {made}; git checkout -q main"),
            0,
            vec!["the run made 1 commit on no branch: "],
        ),
        (
            format!("git checkout -q --detach; {made}; git branch kept; git checkout -q main"),
            0,
            vec!["the run made 1 commit on the branch kept, which is not checked out at its end: "],
        ),
        (
            "git stash clear".to_owned(),
            0,
            vec!["the run removed a stash from before it; git stash apply --index "],
        ),
        // A stash is no branch, and what it holds is not dropped.
        ("echo x > kept.txt; git stash -q".to_owned(), 0, vec![]),
        ("git tag -d old".to_owned(), 0, vec![]),
    ] {
        let executor = Executor::with_script(&format!("init; {script} >&2; result"));
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
        assert_eq!(result.error_message, None, "{script}");
        assert_eq!(result.commits.len(), commits, "{script}");
        assert_eq!(
            result.commit_hash.as_ref(),
            result.commits.last(),
            "{script}"
        );
        assert_eq!(
            result.warnings.len(),
            warnings.len(),
            "{script}: {:?}",
            result.warnings
        );
        for (warning, expected) in result.warnings.iter().zip(warnings) {
            assert!(warning.starts_with(expected), "{script}: {warning}");
        }
        if script.contains("HEAD~1") {
            assert!(
                result.warnings[0].contains(&dropped[..10]),
                "{:?}",
                result.warnings
            );
        }
    }
}
