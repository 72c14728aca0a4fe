//! The real Claude Code with our hooks: what its requests to the model contain of the memory.

use super::assert_has;
use crate::hook::claude::run_as_nobody;
use std::fs;
use std::path::Path;

/// What is run as nobody, in a network namespace of its own. Each run keeps its requests in a directory.
const SCRIPT: &str = r#"
set -eu
cd "$HOME/repo"
run() {
    bodies=$HOME/$1; shift; mkdir "$bodies"
    python3 "$HOME/api.py" run --dump-bodies "$bodies" -- "$CLAUDE" -p "$@" --output-format json </dev/null >"$HOME/out" 2>&1 || { cat "$HOME/out" >&2; exit 1; }
}
id=11111111-1111-4111-8111-111111111111
ccctl daemon start >&2
ccctl hooks install --project --timeout-ms 1000 >&2
ccctl memory save >&2
run started 'hello' --session-id $id
run compacting '/compact' --resume $id
run compacted 'go on' --resume $id
ccctl daemon stop --force >&2
run stopped 'hello'
"#;

/// Returns all requests of a run.
fn requests(home: &Path, run: &str) -> String {
    let entries = fs::read_dir(home.join(run)).unwrap();
    let read =
        |entry: std::io::Result<fs::DirEntry>| fs::read_to_string(entry.unwrap().path()).unwrap();
    entries.map(read).collect()
}

#[test]
fn the_first_request_has_the_digest_also_after_a_compaction_and_without_a_daemon() {
    let plan = "## Phase 1: Core\n\n- [x] T001 Start\n- [ ] T002 Paint the shed\n- [ ] T003 Build the fence\n";
    let files = [("script", SCRIPT), ("repo/tasks.md", plan)];
    let Some((home, output)) = run_as_nobody(&files) else {
        return;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let step = "Step: Complete T003: Build the fence";
    let unverified = "not verified: the ccd daemon did not answer";
    for (run, expected) in [
        ("started", &["Current task: T002 Paint the shed", step][..]),
        // The session is resumed, too, but that digest is short.
        ("compacted", &[step]),
        ("stopped", &[unverified, "T002 - Paint the shed"]),
    ] {
        assert_has(&requests(home.path(), run), expected);
    }
}
