//! `ccctl hook --policy FILE`: without a daemon, and closed whatever fails.

use crate::support::client::Ran;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Judges a call as Claude Code has it done: in a home directory where nothing may be created.
fn judge(options: &[&str], payload: &[u8], stdout: Stdio) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ccctl_under_test"));
    command
        .arg("hook")
        .args(options)
        .env_clear()
        .env("CCD_HOME", "/nowhere")
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It need not read the call if it has no policy.
    let _ = child.stdin.take().unwrap().write_all(payload);
    Ran::of(child.wait_with_output().unwrap())
}

fn payload(tool: &str, input: &Value) -> Vec<u8> {
    let payload = json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "cwd": "/p"});
    payload.to_string().into_bytes()
}

fn write_policy(folder: &Path) -> String {
    let file = folder.join("it's a policy.json");
    let policy = json!({"mode": "whitelist", "rules": ["Bash(git:*)", "Write"], "project": "/p"});
    fs::write(&file, policy.to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_call_is_judged_by_the_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let policy = write_policy(folder.path());
    let judged = |payload: &[u8]| judge(&["--policy", &policy], payload, Stdio::piped());
    let long = json!({"file_path": "/p/x", "content": "ä\u{2028}".repeat(1 << 20)});
    for allowed in [
        payload("Bash", &json!({"command": "git status && git log"})),
        payload("Write", &long),
    ] {
        let ran = judged(&allowed);
        assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (Some(0), "", ""));
    }
    for denied in [
        payload("Bash", &json!({"command": "git status; rm x"})),
        payload("Read", &json!({"file_path": "/p/x"})),
        payload("mcp__x__y", &json!({})),
        b"not JSON".to_vec(),
        b"{}".to_vec(),
        br#"{"tool_name": "Write", "tool_name": "Write"}"#.to_vec(),
        Vec::new(),
    ] {
        let ran = judged(&denied);
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        let answer = &answer["hookSpecificOutput"];
        assert_eq!(answer["permissionDecision"], "deny");
        let reason = answer["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.starts_with(ccd_policy::DENIAL), "{reason}");
    }
    assert!(!Path::new("/nowhere").exists());
}

#[test]
fn whatever_fails_is_a_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let policy = write_policy(folder.path());
    let garbled = folder.path().join("garbled.json");
    fs::write(&garbled, "{\"mode\":\"whitelist\"").unwrap();
    let garbled = garbled.to_str().unwrap();
    let call = payload("Bash", &json!({"command": "git status"}));
    let denied = payload("Bash", &json!({"command": "rm x"}));
    let long = payload("Write", &json!({"content": "x".repeat(16 << 20)}));
    for (options, payload, is_full) in [
        (&["--policy", "/nowhere/policy.json"][..], &call, false),
        (&["--policy", "/"], &call, false),
        (&["--policy", garbled], &call, false),
        (&["--policy", "/dev/null"], &call, false),
        (&["--policy", "/dev/zero"], &call, false),
        (&["--policy", &policy], &long, false),
        (&["--policy", &policy], &denied, true),
        (&["--policy", &policy, "--later-option"], &call, false),
        (&["--policy"], &call, false),
    ] {
        let full = || File::options().write(true).open("/dev/full").unwrap();
        let stdout = if is_full {
            full().into()
        } else {
            Stdio::piped()
        };
        let ran = judge(options, payload, stdout);
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{options:?}");
        assert!(!ran.stderr.is_empty(), "{options:?}");
    }
}

#[test]
fn a_denial_that_nobody_reads_is_a_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let policy = write_policy(folder.path());
    let denied = payload("Read", &json!({}));
    let (_, without_reader) = std::io::pipe().unwrap();
    for stdout in [Stdio::null(), Stdio::from(without_reader)] {
        let ran = judge(&["--policy", &policy], &denied, stdout);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    }
    let script = "\"$0\" hook --policy \"$1\" >&-";
    let mut shell = Command::new("sh");
    let ccctl = env!("CARGO_BIN_EXE_ccctl_under_test");
    shell.args(["-c", script, ccctl, &policy]);
    let mut child = shell.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&denied).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
}
