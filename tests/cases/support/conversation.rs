//! A conversation with a program, for recording and replay: inputs, patterns to wait for, and the result.

use super::daemon::Daemon;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::Path;

/// An input and the pattern that is awaited after it; the first step has no input.
pub(crate) type Step<'a> = (Option<&'a str>, &'a str);

/// The result of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Came {
    pub(crate) output: Vec<u8>,
    /// The text that each pattern matched, and its start.
    pub(crate) matches: Vec<(String, u64)>,
    pub(crate) exitstatus: Option<i64>,
    pub(crate) signal: Option<i64>,
}

impl Came {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }
}

/// Returns tape options for a directory.
pub(crate) fn tape(root: &Path, more: Value) -> Value {
    let mut options = json!({ "root": root });
    for (name, value) in more.as_object().unwrap() {
        options[name] = value.clone();
    }
    options
}

/// Starts a program with tapes.
pub(crate) fn start(daemon: &Daemon, command: &[&str], tape: &Value) -> Result<String, Value> {
    let home = daemon.home();
    start_with(
        daemon,
        command,
        tape,
        &json!({"HOME": home, "PS1": "ready> "}),
    )
}

pub(crate) fn start_with(
    daemon: &Daemon,
    command: &[&str],
    tape: &Value,
    env: &Value,
) -> Result<String, Value> {
    let params = json!({
        "program": command[0], "args": command[1..], "env": env, "tape": tape, "cwd": daemon.home(), "timeout_s": 20
    });
    let record = daemon.call_value("session.create", &params)?;
    Ok(record["session_id"].as_str().unwrap().to_owned())
}

/// Types a line, waits for a pattern, and returns what it matched.
pub(crate) fn ask(
    daemon: &Daemon,
    session: &str,
    (input, pattern): Step<'_>,
) -> Result<(String, u64), Value> {
    let patterns = json!([{ "regex": pattern }]);
    let found = match input {
        None => {
            let params = json!({"session": session, "patterns": patterns, "timeout_ms": 20_000});
            daemon.call_value("session.expect", &params)?
        }
        Some(input) => {
            let expect = json!({"patterns": patterns, "timeout_ms": 20_000});
            let params =
                json!({"session": session, "text": input, "newline": true, "expect": expect});
            daemon.call_value("session.send", &params)?["expect"].clone()
        }
    };
    let text = found["matched"].as_str().unwrap_or_default().to_owned();
    Ok((text, found["start"].as_u64().unwrap_or_default()))
}

/// Returns the whole output of a session.
pub(crate) fn output(daemon: &Daemon, session: &str) -> Vec<u8> {
    let params = json!({"session": session, "since": 0, "raw": true, "max_bytes": 16 << 20});
    let read = daemon.call_value("session.read", &params).unwrap();
    STANDARD.decode(read["data_b64"].as_str().unwrap()).unwrap()
}

/// Waits for the end of a session, and returns its record.
pub(crate) fn ended(daemon: &Daemon, session: &str) -> Value {
    let params = json!({"session": session, "for": "exit", "timeout_ms": 20_000});
    daemon.call_value("session.wait", &params).unwrap()
}

/// Returns the record of a session.
pub(crate) fn record(daemon: &Daemon, session: &str) -> Value {
    daemon
        .call_value("session.get", &json!({ "session": session }))
        .unwrap()
}

/// Carries out a whole conversation, whose last line ends the program.
pub(crate) fn converse(
    daemon: &Daemon,
    command: &[&str],
    tape: &Value,
    steps: &[Step<'_>],
    last: &str,
) -> Came {
    let env = json!({"HOME": daemon.home(), "PS1": "ready> "});
    converse_with(daemon, command, tape, &env, steps, last)
}

pub(crate) fn converse_with(
    daemon: &Daemon,
    command: &[&str],
    tape: &Value,
    env: &Value,
    steps: &[Step<'_>],
    last: &str,
) -> Came {
    let session = start_with(daemon, command, tape, env).unwrap();
    let matches = steps
        .iter()
        .map(|step| ask(daemon, &session, *step).unwrap())
        .collect();
    let params = json!({"session": session, "text": last, "newline": !last.ends_with('\u{4}')});
    daemon.call_value("session.send", &params).unwrap();
    let ended = ended(daemon, &session);
    Came {
        output: output(daemon, &session),
        matches,
        exitstatus: ended["exitstatus"].as_i64(),
        signal: ended["signal"].as_i64(),
    }
}

/// Returns the tapes in a directory and its subdirectories, sorted by name.
pub(crate) fn tapes(root: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') {
                folders.push(path);
            } else if name.ends_with(".json5") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
