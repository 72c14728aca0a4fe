//! Directories that are not ordinary work trees.

use crate::support::exec::{COMMITTED, Executor, Repository};
use rustix::process::geteuid;
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

const CHANGES: &str = "init; echo x > x.txt; result";

#[test]
fn a_directory_without_a_repository_and_a_bare_one_are_errors_that_say_what_to_do() {
    let executor = Executor::with_script(CHANGES);
    let empty = Repository::new();
    fs::create_dir(empty.beside("empty")).unwrap();
    let message = executor.refused(
        &Repository::at(empty.beside("empty")),
        &json!({}),
        "repository_error",
    );
    assert!(message.contains("not in a git repository"), "{message}");
    empty.git(&[
        "clone",
        "-q",
        "--bare",
        ".",
        empty.beside("bare.git").to_str().unwrap(),
    ]);
    let message = executor.refused(
        &Repository::at(empty.beside("bare.git")),
        &json!({}),
        "repository_error",
    );
    assert!(message.contains("bare"), "{message}");
    let missing = json!({"repo_path": empty.beside("missing")});
    let message = executor.refused(&empty, &missing, "repository_error");
    assert!(message.contains("missing"), "{message}");
}

#[test]
fn a_request_without_a_repository_is_invalid() {
    let executor = Executor::with_script(CHANGES);
    let repository = Repository::new();
    executor.refused(&repository, &json!({"repo_path": null}), "invalid_request");
    executor.refused(
        &repository,
        &json!({"repo_path": "relative"}),
        "invalid_request",
    );
}

#[test]
fn on_an_unborn_branch_the_first_commit_is_the_result() {
    let repository = Repository::unborn();
    let ran =
        Executor::with_script("init; echo x > x.txt; git add .; git commit -qm First; result")
            .run(&repository, &json!({}));
    let result = ran.result;
    assert_eq!(result.error_message, None);
    let head = repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(
        (&result.commits, &result.commit_hash),
        (&vec![head.clone()], &Some(head))
    );
    assert_eq!(result.files_changed, ["x.txt"]);
    let again = Executor::with_script(CHANGES).run(&Repository::unborn(), &json!({}));
    assert_eq!(again.succeeded_and_changed(&["x.txt"]).commit_hash, None);
}

#[test]
fn a_detached_head_stays_detached() {
    let repository = Repository::new();
    repository.git(&["checkout", "-q", "--detach"]);
    let ran = Executor::with_script("init; echo x > x.txt; git add .; git commit -qm X; result")
        .run(&repository, &json!({}));
    let expected = [
        ".git/COMMIT_EDITMSG",
        ".git/HEAD",
        ".git/index",
        ".git/logs/HEAD",
        "x.txt",
    ];
    let result = ran.succeeded_and_changed(&expected);
    assert_eq!(
        result.commit_hash,
        Some(repository.git(&["rev-parse", "HEAD"]))
    );
    assert_eq!(result.commits.len(), 1);
}

#[test]
fn a_subdirectory_stands_for_its_work_tree() {
    let repository = Repository::new();
    repository.write("folder/inner/file.txt", "x\n");
    repository.commit("Second");
    let inner = Repository::at(repository.root().join("folder/inner"));
    let executor =
        Executor::with_script("init; echo x > \"$(git rev-parse --show-toplevel)/x.txt\"; result");
    let result = executor.result(&executor.start(&inner, &json!({})));
    assert_eq!(
        (result.error_message, result.files_changed),
        (None, vec!["x.txt".to_owned()])
    );
}

#[test]
fn a_submodule_is_a_work_tree_of_its_own_and_its_new_commit_is_a_change_of_the_outer_one() {
    let (outer, library) = (Repository::new(), Repository::new());
    outer.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        &library.path(),
        "lib",
    ]);
    outer.commit("Add lib");
    let inner = Repository::at(outer.root().join("lib"));
    inner.git(&["config", "user.name", "Test"]);
    inner.git(&["config", "user.email", "test@example.org"]);
    let executor = Executor::with_script(CHANGES);
    let ran = executor.run(&inner, &json!({}));
    assert_eq!(
        ran.succeeded_and_changed(&["x.txt"]).files_changed,
        ["x.txt"]
    );
    fs::remove_file(inner.root().join("x.txt")).unwrap();
    let executor =
        Executor::with_script("init; cd lib; echo y > y.txt; git add .; git commit -qm Y; result");
    let result = executor.run(&outer, &json!({})).result;
    assert_eq!(
        (result.error_message, result.files_changed),
        (None, vec!["lib".to_owned()])
    );
    assert!(
        result.diff.contains("+Subproject commit"),
        "{}",
        result.diff
    );
}

#[test]
fn nested_repositories_belong_to_themselves() {
    let outer = Repository::new();
    let nested = outer.root().join("nested");
    outer.git(&["clone", "-q", ".", nested.to_str().unwrap()]);
    let executor = Executor::with_script(CHANGES);
    // To the outer one it is an untracked file.
    executor.refused(&outer, &json!({}), "dirty_worktree");
    let ran = executor.run(&Repository::at(nested), &json!({}));
    assert_eq!(
        ran.succeeded_and_changed(&["x.txt"]).files_changed,
        ["x.txt"]
    );
    let executor = Executor::with_script(
        "init; echo y > y.txt; git init -q fresh; echo z > fresh/z.txt; result",
    );
    let ran = executor.run(&outer, &json!({"dirty_worktree": "allow"}));
    assert_eq!(
        (
            &ran.result.error_message,
            ran.result.files_changed.contains(&"y.txt".to_owned())
        ),
        (&None, true)
    );
}

#[test]
fn runs_in_linked_work_trees_of_one_repository_run_at_once() {
    let main = Repository::new();
    let linked = Repository::at(main.beside("linked"));
    main.git(&[
        "worktree",
        "add",
        "-q",
        "-b",
        "side",
        linked.root().to_str().unwrap(),
    ]);
    // Each waits until both run.
    let script = "init; touch \"$HOME/$instruction\"; while ! [ -e \"$HOME/one\" ] || ! [ -e \"$HOME/two\" ]; do sleep 0.02; done\n\
        echo x > x.txt; git add .; git commit -qm X; result";
    let executor = Executor::with_script(script);
    let one = executor.start(&main, &json!({"instruction": "one"}));
    let two = executor.start(&linked, &json!({"instruction": "two"}));
    for (started, repository) in [(&one, &main), (&two, &linked)] {
        let result = executor.result(started);
        assert_eq!(result.error_message, None, "{}", result.stdout);
        assert_eq!(result.commits, [repository.git(&["rev-parse", "HEAD"])]);
    }
    executor.assert_nothing_runs();
}

#[test]
fn a_pointer_of_large_file_storage_is_a_file_like_others() {
    let repository = Repository::new();
    repository.write(
        ".gitattributes",
        "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    );
    let pointer = |id: &str| {
        format!(
            "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n",
            id.repeat(64)
        )
    };
    repository.write("data.bin", pointer("a"));
    repository.git(&["-c", "filter.lfs.clean=cat", "add", "-A"]);
    repository.git(&["commit", "-q", "-m", "Pointer"]);
    let executor = Executor::with_script("init; sed -i s/aaaa/bbbb/ data.bin; result");
    let ran = executor.run(&repository, &json!({}));
    let result = ran.succeeded_and_changed(&["data.bin"]);
    assert_eq!(result.files_changed, ["data.bin"]);
    assert!(result.diff.contains("+oid sha256:bbbb"), "{}", result.diff);
}

#[test]
fn an_index_lock_stops_what_must_write_the_index_with_its_name() {
    let repository = Repository::new();
    repository.write("mine.txt", "dirty\n");
    repository.write(".git/index.lock", "");
    let executor = Executor::with_script(CHANGES);
    let message = executor.refused(
        &repository,
        &json!({"dirty_worktree": "stash"}),
        "repository_error",
    );
    assert!(message.contains("index.lock"), "{message}");
}

#[test]
fn a_repository_without_write_permission_is_an_error() {
    let repository = Repository::new();
    if geteuid().is_root() {
        eprintln!("skipped: root may write everywhere");
        return;
    }
    let git = repository.root().join(".git");
    fs::set_permissions(&git, fs::Permissions::from_mode(0o555)).unwrap();
    Executor::with_script(CHANGES).refused(&repository, &json!({}), "repository_error");
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_repository_of_another_user_is_an_error_with_the_way_to_trust_it() {
    if !geteuid().is_root() {
        eprintln!("skipped: only root can make files of another user");
        return;
    }
    let repository = Repository::new();
    let owner = std::process::Command::new("chown")
        .args(["-R", "65534:65534"])
        .arg(repository.root())
        .status();
    assert!(owner.unwrap().success());
    let message =
        Executor::with_script(CHANGES).refused(&repository, &json!({}), "repository_error");
    assert!(message.contains("safe.directory"), "{message}");
}

#[test]
fn a_path_through_a_link_is_the_same_work_tree() {
    let repository = Repository::new();
    symlink(repository.root(), repository.beside("link")).unwrap();
    let executor = Executor::with_script(
        "init; git add -A; echo x > x.txt; git add .; git commit -qm X; result",
    );
    let ran = executor.run(
        &repository,
        &json!({"repo_path": repository.beside("link")}),
    );
    let result = ran.succeeded_and_changed(&[&COMMITTED[..], &["x.txt"]].concat());
    assert_eq!(result.repo_path, repository.path());
}
