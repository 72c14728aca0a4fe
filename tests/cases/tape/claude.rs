//! Records a real run of Claude Code, if it is installed; the replay needs neither it nor a model.

use crate::support::conversation::{ended, new_tape, output, start_with, tape};
use crate::support::session::lacks;
use crate::support::{Daemon, eventually};
use serde_json::json;
use std::path::Path;

/// Returns the scripted stand-in for the Messages API, if it exists next to the project.
fn fake_api() -> Option<std::path::PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let script = root.join("../shared/fake_messages_api/fake_messages_api.py");
    script.exists().then_some(script)
}

#[test]
fn claude_plays_as_it_was_recorded_without_a_model() {
    let Some(api) = fake_api() else {
        eprintln!("skipped: there is no scripted API");
        return;
    };
    if lacks(&["claude", "python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let script = daemon.home().join("script.json");
    std::fs::write(&script, "[\"Hello from the script.\"]").unwrap();
    let recorded = std::process::Command::new("python3")
        .arg(api)
        .args(["run", "--script"])
        .arg(&script)
        .arg("--")
        .args([
            "sh",
            "-c",
            "printf %s \"$ANTHROPIC_BASE_URL\" > \"$0\"; cat",
        ])
        .arg(daemon.home().join("url"))
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let url = eventually("the API listens", || {
        std::fs::read_to_string(daemon.home().join("url"))
            .ok()
            .filter(|url| !url.is_empty())
    });
    let env = json!({"HOME": daemon.home(), "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-test",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"});
    let command = ["claude", "-p", "say hi"];
    let new = new_tape(&root);
    let live = start_with(&daemon, &command, &new, &env).unwrap();
    let record = ended(&daemon, &live);
    let said = output(&daemon, &live);
    // The API exits with its command, which exits when its input ends.
    let mut recorded = recorded;
    drop(recorded.stdin.take());
    recorded.wait().unwrap();
    assert!(String::from_utf8_lossy(&said).contains("Hello from the script."));
    let nowhere = json!({"HOME": daemon.home(), "PATH": "/nowhere"});
    let played = start_with(&daemon, &command, &tape(&root, json!({})), &nowhere).unwrap();
    assert_eq!(ended(&daemon, &played)["exitstatus"], record["exitstatus"]);
    assert_eq!(output(&daemon, &played), said);
}
