//! Changes inside submodules and other repositories of the work tree.

use crate::support::exec::{Executor, Repository};
use serde_json::json;

#[test]
fn an_edit_inside_a_submodule_is_reported_and_the_next_refusal_names_it() {
    let inner = Repository::new();
    for (script, files) in [
        (
            "echo x > own.txt; rm sub/old.txt",
            &["own.txt", "sub/old.txt"][..],
        ),
        ("git init -q more; echo x > more/new.txt", &["more/new.txt"]),
    ] {
        let executor = Executor::with_script(&format!("init; {script}; result"));
        let repository = Repository::new();
        repository.add_submodule(&inner, "sub");
        let started = executor.start(&repository, &json!({}));
        let result = executor.result(&started);
        assert_eq!(result.error_message, None, "{script}");
        assert_eq!(result.files_changed, files, "{script}");
        let warned = format!("{:?}", result.warnings);
        assert!(warned.contains("repository of its own"), "{warned}");
        let message = executor.refused(&repository, &json!({}), "dirty_worktree");
        assert!(message.contains("(a repository of its own)"), "{message}");
        // What was changed before a run is not of the run.
        let started = executor.start(&repository, &json!({"dirty_worktree": "allow"}));
        let again = executor.result(&started);
        assert_eq!(again.error_message, None);
    }
}
