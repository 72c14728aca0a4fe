//! Texts of any characters in what a memory is made of.

use super::bad_input::{digest_of, write};
use crate::{Recorded, collect, save};
use proptest::prelude::*;
use proptest::sample::select;
use std::path::Path;

/// Texts that mean something there, some on a line.
const PIECES: [&str; 4] = [
    "- [ ] ¦- [x] ¦* [ ]¦## Phase 1: ¦T1 ¦a¦ ¦\n¦—¦ä¦“q”¦→¦🚀¦e\u{301}¦\u{a0}¦.¦..¦.env¦.env.local¦/¦~¦`¦(¦)¦,¦:¦//¦# ¦/*",
    "*/¦\"¦'¦<!--¦-->¦FIXME¦TODO(¦BLOCKED: ¦NEEDS¦ok 1 - ¦not ok 2¦1..2\n¦--- FAIL: ¦--- PASS: x (¦FAIL\t¦FAILED a.py::",
    "test a ... FAILED\n¦test result: ok. 1 passed; 2 failed;\n¦thread 'a' panicked at ¦é.rs:3:",
    "{\"Action\":\"fail\",\"Test\":\"ä\"}\n¦\u{1b}[1m¦\u{202e}¦\u{feff}¦\t",
];

/// Any text, and texts of what means something in plans, sources and outputs of tests.
fn text() -> impl Strategy<Value = String> {
    let pieces = select(
        PIECES
            .iter()
            .flat_map(|line| line.split('¦'))
            .collect::<Vec<_>>(),
    );
    let piece =
        prop_oneof![4 => pieces.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Collects, saves and loads. The collectors are threads of their own: what fails there is left out with a warning.
fn is_whole(root: &Path) {
    let collected = collect(root, None, &Recorded::default()).unwrap();
    assert_eq!(collected.notes.warnings, Vec::<String>::new());
    save(root, collected.memory, &collected.notes).unwrap();
    assert!(digest_of(root).contains("Session memory of"));
}

#[test]
fn words_of_a_task_may_start_with_any_character() {
    for title in [
        "T1 a — b",
        "Ändern",
        "“quotes”",
        "→ next",
        "🚀",
        "é.env",
        "ä.b —.env",
    ] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "tasks.md", &format!("- [ ] {title}\n"));
        is_whole(folder.path());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_plan_any_comment_and_any_output_is_saved(plan in text(), title in text(), comment in text(), output in text()) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "tasks.md", &format!("{plan}\n- [x] T0 x\n- [ ] {}\n", title.replace('\n', " ")));
        write(root, "a.rs", &format!("// FIXME: {comment}\n"));
        write(root, "b.py", &comment);
        write(root, "test-results/out.txt", &output);
        write(root, "go-test-output.json", &output);
        is_whole(root);
    }
}
