//! Texts of any characters in what a memory is made of.

use super::{digest_of, saved, with, write};
use crate::file::tests::generated::text_of;
use proptest::prelude::*;
use std::path::Path;

/// Texts that mean something there, some on a line.
const PIECES: [&str; 4] = [
    "- [ ] ¦- [x] ¦* [ ]¦## Phase 1: ¦T1 ¦a¦ ¦\n¦—¦ä¦“q”¦→¦🚀¦e\u{301}¦\u{a0}¦.¦..¦.env¦.env.local¦/¦~¦`¦(¦)¦,¦:¦//¦# ¦/*",
    "*/¦\"¦'¦<!--¦-->¦FIXME¦TODO(¦BLOCKED: ¦NEEDS¦ok 1 - ¦not ok 2¦1..2\n¦--- FAIL: ¦--- PASS: x (¦FAIL\t¦FAILED a.py::",
    "test a ... FAILED\n¦test result: ok. 1 passed; 2 failed;\n¦thread 'a' panicked at ¦é.rs:3:",
    "{\"Action\":\"fail\",\"Test\":\"ä\"}\n¦\u{1b}[1m¦\u{202e}¦\u{feff}¦\t",
];

/// Collects, saves and loads. The collectors are threads of their own: what fails there is left out with a warning.
fn is_whole(root: &Path) {
    assert_eq!(saved(root).1, Vec::<String>::new());
    assert!(digest_of(root).contains("Session memory of"));
}

#[test]
fn words_of_a_task_may_start_with_any_character() {
    let plan = "- [ ] T1 a — b\n- [ ] Ändern\n- [ ] “quotes”\n- [ ] → next\n- [ ] 🚀\n- [ ] é.env\n- [ ] ä.b —.env\n";
    is_whole(with(&[("tasks.md", plan)]).path());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_plan_any_comment_and_any_output_is_saved(texts in [(); 4].map(|()| text_of(&PIECES, 40))) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let [plan, title, comment, output] = &texts;
        write(root, "tasks.md", &format!("{plan}\n- [x] T0 x\n- [ ] {}\n", title.replace('\n', " ")));
        write(root, "a.rs", &format!("// FIXME: {comment}\n"));
        write(root, "b.py", comment);
        write(root, "test-results/out.txt", output);
        write(root, "go-test-output.json", output);
        is_whole(root);
    }
}
