//! Changes inside submodules and other repositories of the work tree.

use crate::support::exec::{Executor, Repository};
use serde_json::json;

/// A repository with the submodule `sub`.
fn with_submodule(inner: &Repository) -> Repository {
    let repository = Repository::new();
    let url = inner.root().to_str().unwrap();
    let allow = "protocol.file.allow=always";
    repository.git(&["-c", allow, "submodule", "add", "-q", url, "sub"]);
    repository.commit("Submodule");
    repository
}

#[test]
fn an_edit_inside_a_submodule_is_reported_and_the_next_refusal_names_it() {
    let inner = Repository::new();
    for (script, files, is_dirty) in [
        ("echo x >> sub/kept.txt", vec!["sub/kept.txt"], true),
        ("echo x > sub/new.txt", vec!["sub/new.txt"], true),
        (
            "echo x > own.txt; rm sub/old.txt",
            vec!["own.txt", "sub/old.txt"],
            true,
        ),
        (
            "git init -q more; echo x > more/new.txt",
            vec!["more/new.txt"],
            true,
        ),
        ("echo x > own.ignored", vec![], false),
    ] {
        let executor = Executor::with_script(&format!("init; {script}; result"));
        let repository = with_submodule(&inner);
        let started = executor.start(&repository, &json!({}));
        let result = executor.result(&started);
        assert_eq!(result.error_message, None, "{script}");
        assert_eq!(result.files_changed, files, "{script}");
        let nested = result
            .warnings
            .iter()
            .find(|warning| warning.contains("repository of its own"));
        let is_nested = files.iter().any(|file| file.contains('/'));
        assert_eq!(nested.is_some(), is_nested, "{:?}", result.warnings);
        if !is_dirty {
            continue;
        }
        let message = executor.refused(&repository, &json!({}), "dirty_worktree");
        if is_nested {
            assert!(message.contains("(a repository of its own)"), "{message}");
        }
        // What was changed before a run is not of the run.
        let started = executor.start(&repository, &json!({"dirty_worktree": "allow"}));
        let again = executor.result(&started);
        assert_eq!(again.error_message, None);
    }
}
