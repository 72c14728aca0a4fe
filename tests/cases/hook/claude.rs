//! The real Claude Code with our hooks, against a stand-in for its API, without any network.

use crate::support::assert_fields;
use crate::support::executable::copy_program;
use crate::support::session::lacks;
use rustix::process::geteuid;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A user without rights: Claude Code refuses some modes to root.
pub(crate) const NOBODY: u32 = 65_534;

/// The program that `.ci/run` installs, unless `$CCD_TEST_CLAUDE` names another one.
pub(crate) fn claude() -> Option<PathBuf> {
    let installed = "../target/claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude";
    let path = match std::env::var_os("CCD_TEST_CLAUDE") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join(installed),
    };
    path.exists().then(|| path.canonicalize().unwrap())
}

/// Runs the file `script` of a new home directory as a user without rights, in a network namespace of its own, with `ccd`,
/// `ccctl`, Claude Code (`$CLAUDE`) and a stand-in for its API (`api.py`). `repo` is an empty directory unless files are in
/// it. Returns the home and what the script printed; nothing, with a message, where that is not possible.
pub(crate) fn run_as_nobody(files: &[(&str, &str)]) -> Option<(TempDir, Output)> {
    let Some(claude) = claude() else {
        eprintln!("skipped: Claude Code is not installed; .ci/run installs it");
        return None;
    };
    if !geteuid().is_root() || lacks(&["unshare", "setpriv", "ip", "python3", "git"]) {
        eprintln!("skipped: it needs root to make a network namespace");
        return None;
    }
    let home = tempfile::Builder::new()
        .prefix("ccd-claude-")
        .tempdir()
        .unwrap();
    for folder in ["bin", "repo"] {
        fs::create_dir(home.path().join(folder)).unwrap();
    }
    let bin = home.path().join("bin");
    copy_program(env!("CARGO_BIN_EXE_ccctl_under_test"), &bin.join("ccctl"));
    copy_program(env!("CARGO_BIN_EXE_ccd_under_test"), &bin.join("ccd"));
    let api = include_str!("../../fixtures/fake_messages_api.py");
    for (name, content) in [("api.py", api)].iter().chain(files) {
        fs::write(home.path().join(name), content).unwrap();
    }
    let mut chown = Command::new("chown");
    chown.args(["-R", &format!("{NOBODY}:{NOBODY}")]);
    assert!(chown.arg(home.path()).status().unwrap().success());
    let output = Command::new("unshare")
        .args(["-n", "-p", "-f", "--kill-child", "--mount-proc", "sh", "-c"])
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
    Some((home, output))
}

/// What is run as nobody, in a network namespace of its own. Standard output are the events, one JSON document at a time.
const SCRIPT: &str = r#"
set -eu
cd "$HOME/repo"
run() {
    scenario=$1; shift
    python3 "$HOME/api.py" run --script "$HOME/$scenario.json" -- "$CLAUDE" -p "$@" --output-format json </dev/null >"$HOME/out" 2>&1 || { cat "$HOME/out" >&2; exit 1; }
}
events() {
    for _ in $(seq 200); do
        [ "$(ccctl coach events --json | python3 -c 'import json,sys; print(len(json.load(sys.stdin)["events"]))')" -ge "$1" ] && break
        sleep 0.1
    done
    ccctl coach events --json
}
ccctl daemon start >&2
ccctl hooks install --project >&2
run fails 'no, use the other file' --permission-mode bypassPermissions
run refused 'please go on'
events 3
ccctl daemon stop --force >&2
run fails 'go on with that' --permission-mode bypassPermissions
ccctl daemon start >&2
events 4
worker=$(ccctl daemon status --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["pid"])')
kill -STOP "$worker"
run fails 'go on with this' --permission-mode bypassPermissions
kill -CONT "$worker"
events 5
ccctl daemon stop --force >&2
"#;

const FAILS: &str = r#"[{"text": "I run it.", "tool": {"name": "Bash", "input": {"command": "ls /no-such-directory", "description": "list"}}}, {"text": "I could not list it."}]"#;
const REFUSED: &str = r#"[{"text": "I make it.", "tool": {"name": "Bash", "input": {"command": "touch made", "description": "make"}}}, {"text": "It was not made."}]"#;

#[test]
fn hooks_of_the_real_claude_code_yield_events_also_while_no_daemon_takes_them() {
    let files = [
        ("script", SCRIPT),
        ("fails.json", FAILS),
        ("refused.json", REFUSED),
    ];
    let Some((_home, output)) = run_as_nobody(&files) else {
        return;
    };
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    let replies = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
    let replies: Vec<Value> = replies.map(Result::unwrap).collect();
    let counts = replies
        .iter()
        .map(|reply| reply["events"].as_array().unwrap().len());
    assert_eq!(counts.collect::<Vec<_>>(), [3, 4, 5], "{errors}");
    let mut found: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for event in replies[2]["events"].as_array().unwrap() {
        let text = |name: &str| event[name].as_str().unwrap();
        let kind = (text("signal_type"), text("event_type"));
        *found.entry(kind).or_default() += 1;
    }
    let expected = [
        (("COMMAND_FAILURE", "tool"), 3),
        (("USER_CORRECTION", "pre"), 1),
        (("USER_CORRECTION", "tool"), 1),
    ];
    assert_eq!(found, BTreeMap::from(expected), "{replies:#?}");
    let failure = &replies[2]["events"][0];
    assert_fields(
        failure,
        json!({"context": {"command": "ls /no-such-directory", "exit_code": 2}}),
    );
}
