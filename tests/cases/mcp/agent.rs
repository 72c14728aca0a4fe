//! An agent: `ccctl mcp` as a child, and lines of JSON both ways.

use crate::support::eventually::PATIENCE;
use crate::support::{Ccctl, Daemon, assert_has};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};

/// The version of MCP that needs `initialize`.
pub(super) const VERSION: &str = "2025-11-25";

/// An agent, which is done when it is dropped.
pub(super) struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that were not asked for yet.
    kept: Vec<Value>,
    last_id: u64,
}

impl Agent {
    /// Connects as `tester`, with the current directory and environment of the test.
    pub(super) fn start(daemon: &Daemon) -> Self {
        Self::named(daemon, "tester")
    }

    pub(super) fn named(daemon: &Daemon, name: &str) -> Self {
        let mut agent = Self::silent(daemon);
        let reply = agent.call("initialize", initialize(name)).unwrap();
        assert_eq!(reply["protocolVersion"], VERSION);
        agent.notify("notifications/initialized", json!({}));
        agent
    }

    /// Connects and says nothing.
    pub(super) fn silent(daemon: &Daemon) -> Self {
        let mut command = Ccctl::new(daemon).command(&["mcp"]);
        command.env("SHELL", "/bin/bash").current_dir(daemon.home());
        Self::of(command)
    }

    /// Starts a command that serves MCP, and says nothing.
    pub(super) fn of(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = sync_channel(1000);
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            stdin: child.stdin.take(),
            child,
            messages,
            kept: Vec::new(),
            last_id: 0,
        }
    }

    /// Writes a line as it is.
    pub(super) fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub(super) fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends a request and returns its id.
    pub(super) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&request.to_string());
        id
    }

    /// Returns the first message for which `is_wanted` holds.
    pub(super) fn wait(&mut self, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&is_wanted) {
            return self.kept.remove(at);
        }
        loop {
            let message = self.messages.recv_timeout(3 * PATIENCE);
            let message = message.unwrap_or_else(|error| panic!("{what}: {error}"));
            if is_wanted(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    /// Returns the reply to a request.
    pub(super) fn reply(&mut self, id: u64) -> Result<Value, Value> {
        let is_reply = |message: &Value| message["id"] == id && message.get("method").is_none();
        let reply = self.wait("a reply", is_reply);
        match reply.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(reply["result"].clone()),
        }
    }

    pub(super) fn call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, params);
        self.reply(id)
    }

    /// Begins to use a tool, and returns the id of the request.
    pub(super) fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.send("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Returns what a tool says.
    pub(super) fn said(&mut self, id: u64) -> Result<String, String> {
        let result = self.reply(id).unwrap();
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        match result["isError"].as_bool() {
            Some(true) => Err(text),
            _ => Ok(text),
        }
    }

    /// Uses a tool, which succeeds, and returns what it says.
    pub(super) fn tool(&mut self, tool: &str, arguments: Value) -> String {
        let id = self.begin(tool, arguments);
        let said = self.said(id);
        said.unwrap_or_else(|error| panic!("{tool}: {error}"))
    }

    /// Uses a tool, which fails, and returns what it says.
    pub(super) fn fails(&mut self, tool: &str, arguments: Value) -> String {
        let id = self.begin(tool, arguments);
        self.said(id).expect_err(tool)
    }

    /// Types a line in a session and waits for a pattern, and returns what is said.
    #[track_caller]
    pub(super) fn type_line(&mut self, session: &str, text: &str, pattern: &str) -> String {
        let arguments = json!({"session": session, "text": text, "pattern": pattern});
        self.tool("session_send", arguments)
    }

    /// Runs a command in the agent's shell, for at most this long, and returns what is said.
    #[track_caller]
    pub(super) fn shell(&mut self, command: &str, timeout_s: f64) -> String {
        let arguments = json!({"command": command, "timeout_s": timeout_s});
        self.tool("shell_run", arguments)
    }

    /// Subscribes to a resource.
    pub(super) fn subscribe(&mut self, uri: &str) {
        let subscribed = self.call("resources/subscribe", json!({"uri": uri}));
        subscribed.unwrap();
    }

    /// Starts a session and returns its id.
    pub(super) fn session(&mut self, arguments: Value) -> String {
        id_of(&self.tool("session_start", arguments))
    }

    /// Ends the input, and returns all that is still written and the exit status.
    pub(super) fn finish(mut self) -> (Vec<Value>, Option<i32>) {
        drop(self.stdin.take());
        let mut rest = std::mem::take(&mut self.kept);
        while let Ok(message) = self.messages.recv_timeout(3 * PATIENCE) {
            rest.push(message);
        }
        (rest, self.child.wait().unwrap().code())
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn initialize(name: &str) -> Value {
    json!({
        "protocolVersion": VERSION,
        "capabilities": {},
        "clientInfo": {"name": name, "version": "1"},
    })
}

/// Asserts how a text starts, and what else is in it.
#[track_caller]
pub(super) fn assert_said(said: &str, start: &str, parts: &[&str]) {
    assert!(said.starts_with(start), "{said}");
    assert_has(&said, parts);
}

/// Returns the id in the line about a session.
pub(super) fn id_of(said: &str) -> String {
    let line = said.lines().last().unwrap();
    let rest = line
        .strip_prefix("[session ")
        .unwrap_or_else(|| panic!("{said}"));
    rest.split([':', ' ']).next().unwrap().to_owned()
}

/// Returns the offset to read on from.
pub(super) fn next_of(said: &str) -> u64 {
    let (_, offset) = said
        .rsplit_once("next offset ")
        .unwrap_or_else(|| panic!("{said}"));
    offset.trim_end_matches(']').parse().unwrap()
}
