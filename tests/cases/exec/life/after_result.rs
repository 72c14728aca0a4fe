//! What comes after a result: a grace, and then an end with the verdict of the result.

use crate::support::exec::{Claude, Executor, Repository};
use serde_json::json;

/// What the scripts below are made of. The end of a background task begins another turn, which takes longer than the grace
/// and has no message yet.
const FUNCTIONS: &str = r#"
failed() { printf '{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["no more"],"terminal_reason":"max_turns"}\n'; }
stays() { exec sleep 300; }
ignores() { trap '' INT; while :; do sleep 0.1; done; }
next_turn() { sleep 0.3; init; sleep 2; say Later.; result Later.; }
"#;

#[test]
fn a_program_that_stays_after_its_result_has_a_grace_and_then_the_verdict_of_the_result() {
    let exited = "claude exited with code 3";
    for (script, message, answer, elapsed) in [
        ("init; result; stays", "", "Done.\n", 1.0..9.5),
        // A command in the background.
        ("setsid sleep 300 & result; wait", "", "Done.\n", 1.0..9.5),
        ("result; ignores", "", "Done.\n", 1.0..12.0),
        ("failed; stays", "no more", "Error: no more", 1.0..9.5),
        (
            "init; result First.; next_turn; stays",
            "",
            "First.\n\nLater.\n",
            3.3..12.0,
        ),
        // The exit comes first, so its status counts.
        ("init; result; exit 3", exited, "Done.\n", 0.0..9.5),
    ] {
        let claude = Claude::script(&format!("{FUNCTIONS}{script}"));
        let executor = Executor::configured(claude, &json!({"grace_s": 1}));
        let ran = executor.run(&Repository::new(), &json!({"output_format": "text"}));
        let result = &ran.result;
        let has_succeeded = result.status.name() == "success";
        let said = result.error_message.as_deref().unwrap_or_default();
        assert_eq!(
            (said, has_succeeded),
            (message, message.is_empty()),
            "{script}"
        );
        assert_eq!(result.stdout, answer, "{script}");
        let found = result.execution_time;
        assert!(elapsed.contains(&found), "{script}: {found}");
    }
}
