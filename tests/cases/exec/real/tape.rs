//! A tape of Claude Code itself.

use crate::exec::tape::{Fleet, assert_same};
use crate::support::exec::{Claude, bash};
use serde_json::json;

#[test]
fn a_recorded_run_is_replayed_elsewhere_with_its_violations_and_without_the_model() {
    let answers = json!([
        bash("printf 'a\\n' > a.txt; mv old.txt moved.txt; printf '\\0\\1' > binary"),
        bash("rm kept.txt"),
        "Done."
    ]);
    let Some(claude) = Claude::real(&answers) else {
        return;
    };
    let fleet = Fleet::new(claude);
    let more = json!({"disallowed_tools": ["Bash(rm:*)"], "output_format": "stream-json"});
    let recorded = fleet.record(more.clone());
    assert_eq!(recorded["error_message"], json!(null));
    assert_eq!(recorded["mode"], "blacklist");
    let files = json!(["a.txt", "binary", "moved.txt"]);
    assert_eq!(recorded["files_changed"], files);
    let violations = recorded["policy_violations"].as_array().unwrap();
    assert_eq!(violations.len(), 1, "{violations:?}");
    fleet.remove_claude();
    let replayed = fleet.replay(more);
    assert_same(&recorded, &replayed);
    assert_eq!(recorded["usage"], replayed["usage"]);
}
