//! A conversation with a program, for recording and replay: inputs, patterns to wait for, and the result.

use super::daemon::Daemon;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

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
    /// Waits for the end of a session.
    pub(crate) fn of(daemon: &Daemon, session: &str, matches: Vec<(String, u64)>) -> Self {
        let ended = ended(daemon, session);
        Self {
            output: output(daemon, session),
            matches,
            exitstatus: ended["exitstatus"].as_i64(),
            signal: ended["signal"].as_i64(),
        }
    }

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

/// Returns an environment in which no program is found.
pub(crate) fn nowhere(daemon: &Daemon) -> Value {
    json!({"HOME": daemon.home(), "PS1": "ready> ", "PATH": "/nowhere"})
}

/// Starts a program with tapes.
pub(crate) fn start(daemon: &Daemon, command: &[&str], tape: &Value) -> Result<String, Value> {
    let env = json!({"HOME": daemon.home(), "PS1": "ready> "});
    start_with(daemon, command, tape, &env)
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

/// Types a text as it is, and returns the reply.
#[track_caller]
pub(crate) fn send(daemon: &Daemon, session: &str, text: &str) -> Value {
    daemon.ok("session.send", &json!({"session": session, "text": text}))
}

/// Types a text key by key.
#[track_caller]
pub(crate) fn keys(daemon: &Daemon, session: &str, text: &str) {
    for key in text.chars() {
        send(daemon, session, &key.to_string());
    }
}

/// Types a line, and returns the reply.
#[track_caller]
pub(crate) fn line(daemon: &Daemon, session: &str, text: &str) -> Value {
    let params = json!({"session": session, "text": text, "newline": true});
    daemon.ok("session.send", &params)
}

#[track_caller]
pub(crate) fn close(daemon: &Daemon, session: &str) -> Value {
    daemon.ok("session.close", &json!({ "session": session }))
}

/// Returns the whole output of a session.
pub(crate) fn output(daemon: &Daemon, session: &str) -> Vec<u8> {
    let params = json!({"session": session, "since": 0, "raw": true, "max_bytes": 16 << 20});
    let read = daemon.ok("session.read", &params);
    STANDARD.decode(read["data_b64"].as_str().unwrap()).unwrap()
}

/// Waits for the end of a session, and returns its record.
pub(crate) fn ended(daemon: &Daemon, session: &str) -> Value {
    let params = json!({"session": session, "for": "exit", "timeout_ms": 20_000});
    daemon.ok("session.wait", &params)
}

/// Returns the record of a session.
pub(crate) fn record(daemon: &Daemon, session: &str) -> Value {
    daemon.ok("session.get", &json!({ "session": session }))
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
    let types = if last.ends_with('\u{4}') { send } else { line };
    types(daemon, &session, last);
    Came::of(daemon, &session, matches)
}

/// Returns the directory of the tapes of a test.
pub(crate) fn root(daemon: &Daemon) -> PathBuf {
    daemon.home().join("t")
}

/// Returns the options that record into a directory.
pub(crate) fn new_tape(root: &Path) -> Value {
    tape(root, json!({"record": "new"}))
}

/// Returns the text of the only tape in a directory.
#[track_caller]
pub(crate) fn only_tape(root: &Path) -> String {
    let tapes = tapes(root);
    assert_eq!(tapes.len(), 1, "{tapes:?}");
    std::fs::read_to_string(&tapes[0]).unwrap()
}

/// Returns the tapes in a directory and its subdirectories, sorted by name.
pub(crate) fn tapes(root: &Path) -> Vec<PathBuf> {
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
