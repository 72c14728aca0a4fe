//! What comes after a result: a grace, and then an end with the verdict of the result.

use crate::support::exec::{Claude, Executor, Repository};
use serde_json::json;

/// A line with a result that is no success.
const FAILED: &str = r#"printf '{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["no more turns"],"terminal_reason":"max_turns"}\n'"#;

/// The end of a background task: another turn begins, which takes longer than the grace and has no message yet.
const NEXT_TURN: &str = "sleep 0.3; init; sleep 2; say Later.; result Later.";

#[test]
fn a_program_that_stays_after_its_result_has_a_grace_and_then_the_verdict_of_the_result() {
    let stays = "exec sleep 300";
    let ignores = "trap '' INT; while :; do sleep 0.1; done";
    for (script, status, message, answer, limits) in [
        (
            format!("init; result; {stays}"),
            "success",
            None,
            "Done.\n",
            (1.0, 9.5),
        ),
        (
            format!("result; {ignores}"),
            "success",
            None,
            "Done.\n",
            (1.0, 12.0),
        ),
        (
            format!("init; {FAILED}; {stays}"),
            "failed",
            Some("no more turns"),
            "Error: no more turns",
            (1.0, 9.5),
        ),
        (
            format!("init; result First.; {NEXT_TURN}; {stays}"),
            "success",
            None,
            "First.\n\nLater.\n",
            (3.3, 12.0),
        ),
        // The exit comes first, so its status counts.
        (
            "init; result; exit 3".to_owned(),
            "failed",
            Some("claude exited with code 3"),
            "Done.\n",
            (0.0, 9.5),
        ),
    ] {
        let executor = Executor::configured(Claude::script(&script), &json!({"grace_s": 1}));
        let ran = executor.run(&Repository::new(), &json!({"output_format": "text"}));
        let result = &ran.result;
        assert_eq!(
            (result.status.name(), result.error_message.as_deref()),
            (status, message),
            "{script}"
        );
        assert_eq!(result.stdout, answer, "{script}");
        let (least, most) = limits;
        assert!(
            (least..most).contains(&result.execution_time),
            "{script}: {}",
            result.execution_time
        );
    }
}
