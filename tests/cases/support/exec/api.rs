//! The stand-in for the API of Claude, on the loopback.

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server with a script; it ends with the test, also if the test is killed.
pub(super) struct Api {
    server: Child,
    pub(super) url: String,
}

impl Api {
    /// Starts it in a directory, with a script in the format of tests/fixtures/fake_messages_api.py.
    pub(super) fn start(folder: &Path, script: &Value) -> Self {
        let program = folder.join("api.py");
        fs::write(
            &program,
            include_str!("../../../fixtures/fake_messages_api.py"),
        )
        .unwrap();
        let script_file = folder.join("script.json");
        fs::write(&script_file, script.to_string()).unwrap();
        // It serves until the command ends, and that ends with its standard input.
        let mut server = Command::new("python3")
            .arg(&program)
            .args(["run", "--script"])
            .arg(&script_file)
            .args(["--request-log"])
            .arg(folder.join("requests"))
            .args(["--", "sh", "-c", "echo \"$ANTHROPIC_BASE_URL\"; exec cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        output.read_line(&mut url).unwrap();
        let url = url.trim_end().to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{url:?}");
        Self { server, url }
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        drop(self.server.stdin.take());
        let _ = self.server.wait();
    }
}

/// Returns a step of a script: the model calls a tool.
pub(crate) fn tool(name: &str, input: Value) -> Value {
    json!({"tool": {"name": name, "input": input}})
}

/// Returns a step of a script: the model runs a command.
pub(crate) fn bash(command: &str) -> Value {
    tool(
        "Bash",
        json!({"command": command, "description": "run", "timeout": 600_000}),
    )
}
