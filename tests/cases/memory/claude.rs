//! The real Claude Code with our hooks: what its requests to the model contain of the memory.

use crate::hook::claude::{NOBODY, claude};
use crate::support::executable::copy_program;
use crate::support::session::lacks;
use rustix::process::geteuid;
use std::fs;
use std::path::Path;
use std::process::Command;

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
    let Some(claude) = claude() else {
        eprintln!("skipped: Claude Code is not installed; .ci/run installs it");
        return;
    };
    if !geteuid().is_root() || lacks(&["unshare", "setpriv", "ip", "python3", "git"]) {
        eprintln!("skipped: it needs root to make a network namespace");
        return;
    }
    let home = tempfile::Builder::new()
        .prefix("ccd-claude-")
        .tempdir()
        .unwrap();
    for folder in ["bin", "repo"] {
        fs::create_dir(home.path().join(folder)).unwrap();
    }
    copy_program(
        env!("CARGO_BIN_EXE_ccctl_under_test"),
        &home.path().join("bin/ccctl"),
    );
    copy_program(
        env!("CARGO_BIN_EXE_ccd_under_test"),
        &home.path().join("bin/ccd"),
    );
    let plan = "## Phase 1: Core\n\n- [x] T001 Start\n- [ ] T002 Paint the shed\n- [ ] T003 Build the fence\n";
    for (name, content) in [
        ("script", SCRIPT),
        (
            "api.py",
            include_str!("../../fixtures/fake_messages_api.py"),
        ),
        ("repo/tasks.md", plan),
    ] {
        fs::write(home.path().join(name), content).unwrap();
    }
    let owner = format!("{NOBODY}:{NOBODY}");
    let chown = Command::new("chown")
        .args(["-R", &owner])
        .arg(home.path())
        .status();
    assert!(chown.unwrap().success());
    let output = Command::new("unshare")
        .args(["-n", "-p", "-f", "--kill-child", "sh", "-c"])
        .arg(format!("ip link set lo up && exec setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups sh \"$HOME/script\""))
        .env_clear()
        .env("PATH", format!("{}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", home.path().display()))
        .env("HOME", home.path())
        .env("CCD_HOME", home.path().join("ccd"))
        .env("CLAUDE", &claude)
        .env("ANTHROPIC_API_KEY", "dummy")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("DISABLE_TELEMETRY", "1")
        .env("DISABLE_ERROR_REPORTING", "1")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let started = requests(home.path(), "started");
    assert!(
        started.contains("Current task: T002 Paint the shed"),
        "{started}"
    );
    assert!(
        started.contains("Next task: T003 Build the fence"),
        "{started}"
    );
    // The session is resumed, too, but that digest is short.
    let compacted = requests(home.path(), "compacted");
    assert!(
        compacted.contains("Next task: T003 Build the fence"),
        "{compacted}"
    );
    let stopped = requests(home.path(), "stopped");
    assert!(
        stopped.contains("not verified: the ccd daemon did not answer"),
        "{stopped}"
    );
    assert!(stopped.contains("T002 - Paint the shed"), "{stopped}");
}
