//! Foreign implementations: the official SDK for Python, and the real Claude Code.

use crate::hook::claude::run_as_nobody;
use crate::support::{Ccctl, Daemon, assert_has};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The interpreter for which `.ci/run` installs the SDK, unless `$CCD_TEST_MCP_PYTHON` names another one.
fn python() -> Option<PathBuf> {
    let path = match std::env::var_os("CCD_TEST_MCP_PYTHON") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/mcp/bin/python"),
    };
    if !path.exists() {
        eprintln!("skipped: the Python SDK of MCP is not installed; .ci/run installs it");
        return None;
    }
    Some(path)
}

fn speaks(version: &str) {
    let Some(python) = python() else {
        return;
    };
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon).command(&[]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mcp_client.py");
    let mut command = std::process::Command::new(python);
    command.arg(script).arg(ccctl.get_program());
    command.arg(daemon.home()).arg(version);
    command.env("CCD_HOME", daemon.home());
    command.env("CCD_NO_START", "1");
    command.env_remove("CCD_SOCKET").env("SHELL", "/bin/bash");
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("spoke 20"), "{said}");
}

#[test]
fn the_sdk_for_python_uses_all_tools_and_resources_in_each_version() {
    for version in ["initialize", "2026-07-28"] {
        speaks(version);
    }
}

/// What Claude Code does, step by step, as the stand-in for its API says.
fn scenario() -> String {
    let step = |tool: &str, input: Value| json!({"tool": {"name": format!("mcp__ccd__{tool}"), "input": input}});
    let steps = json!([
        step("session_start", json!({"program": "python3", "args": ["-q"], "name": "py"})),
        step("session_send", json!({"session": "py", "text": "input('Your name? ')", "pattern": "name\\? $"})),
        step("session_send", json!({"session": "py", "text": "Ada", "pattern": "(?m)^'Ada'"})),
        step("session_screen", json!({"session": "py", "image": true})),
        step("session_send", json!({"session": "py", "text": "import getpass; len(getpass.getpass())"})),
        step("session_send", json!({"session": "py", "text": "open sesame", "secret": true})),
        step("session_read", json!({"session": "py", "pattern": "never", "timeout_s": 0.5})),
        step("session_read", json!({"session": "py", "pattern": "never", "timeout_s": 600})),
        step("session_close", json!({"session": "py"})),
        {"text": "It is done."}
    ]);
    steps.to_string()
}

/// Claude Code cancels a call after `MCP_TOOL_TIMEOUT` milliseconds. Its first request must not be sent before it knows
/// the tools, which start with the daemon.
const SCRIPT: &str = r#"
set -eu
cd "$HOME/repo"
echo '{"mcpServers": {"ccd": {"command": "sh", "args": ["-c", "tee $HOME/sent | ccctl mcp"]}}}' >"$HOME/mcp.json"
export MCP_TOOL_TIMEOUT=20000 MCP_CONNECTION_NONBLOCKING=false
python3 "$HOME/api.py" run --script "$HOME/scenario.json" -- "$CLAUDE" -p 'use the terminal' --verbose \
    --output-format stream-json --mcp-config "$HOME/mcp.json" --permission-mode bypassPermissions </dev/null >"$HOME/out" 2>&1 ||
    { cat "$HOME/out" >&2; exit 1; }
cat "$HOME/out"
grep -h notifications/cancelled "$HOME/sent"
ccctl session history py --json
ccctl daemon stop --force >&2
"#;

#[test]
fn the_real_claude_code_drives_python_through_the_tools() {
    let scenario = scenario();
    let files = [("script", SCRIPT), ("scenario.json", &*scenario)];
    let Some((_home, output)) = run_as_nobody(&files) else {
        return;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let results: Vec<String> = printed
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|record| record["type"] == "user")
        .map(|record| record["message"]["content"].to_string())
        .filter(|content| content.contains("tool_result"))
        .collect();
    assert_eq!(results.len(), 9, "{printed}");
    for (result, words) in results.iter().zip([
        &["python3 waits for input"][..],
        &["Your name? ", "pattern matched"],
        &["'Ada'"],
        &["cursor at row", "image/png"],
        &["waits for hidden input"],
        &["11", ">>>"],
        &["still waiting after 0.5 s"],
        &["timed out"],
        &["closed"],
    ]) {
        assert_has(result, words);
    }
    let (_, history) = printed.split_once("\"interactions\"").unwrap();
    assert!(history.contains("claude-code"), "{history}");
    assert!(!history.contains("sesame"), "{history}");
}
