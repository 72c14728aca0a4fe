//! A directory of Claude Code with transcripts, and a daemon that reads it.

use crate::support::client::Ran;
use crate::support::{Ccctl, Daemon};
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(super) struct Library {
    pub(super) daemon: Daemon,
    folder: TempDir,
}

impl Library {
    pub(super) fn new() -> Self {
        Self::in_zone("UTC")
    }

    /// Returns one whose daemon is in this time zone.
    pub(super) fn in_zone(zone: &str) -> Self {
        Self::with(zone, &json!({}))
    }

    /// Returns one whose daemon has these keys in `conversations`.
    pub(super) fn configured(keys: &Value) -> Self {
        Self::with("UTC", keys)
    }

    fn with(zone: &str, keys: &Value) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("ccd-claude-")
            .tempdir()
            .unwrap();
        let dir = folder.path().to_str().unwrap();
        let config = json!({ "conversations": keys }).to_string();
        let builder = Daemon::builder().env("CLAUDE_CONFIG_DIR", dir);
        let daemon = builder.env("TZ", zone).config(&config).start();
        Self { daemon, folder }
    }

    /// Returns the directory of Claude Code.
    pub(super) fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the ids of the sessions in the list, sorted.
    pub(super) fn listed(&self) -> Vec<String> {
        let list = self.call("conversation.list", json!({"limit": 1000}));
        let all = list["conversations"].as_array().unwrap().iter();
        let mut ids: Vec<String> = all
            .map(|one| one["session_id"].as_str().unwrap().to_owned())
            .collect();
        ids.sort();
        ids
    }

    /// Returns where the transcript of a session is.
    pub(super) fn path(&self, session: &str) -> PathBuf {
        self.folder
            .path()
            .join("projects/-srv-shop")
            .join(format!("{session}.jsonl"))
    }

    /// Returns where the transcript of a sub-agent is.
    pub(super) fn agent_path(&self, session: &str, agent: &str) -> PathBuf {
        let folder = self.path(session).with_extension("").join("subagents");
        folder.join(format!("agent-{agent}.jsonl"))
    }

    /// Writes a transcript with these lines.
    pub(super) fn write(&self, path: &Path, lines: &[String]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(path, text).unwrap();
    }

    /// Writes the transcript of a sub-agent that a call has started.
    pub(super) fn write_agent(&self, session: &str, agent: &str, call: &str, lines: &[String]) {
        let path = self.agent_path(session, agent);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let meta = json!({"toolUseId": call}).to_string();
        fs::write(path.with_extension("meta.json"), meta).unwrap();
        self.write(&path, lines);
    }

    /// Appends a line to a transcript.
    pub(super) fn add(&self, path: &Path, line: String) {
        self.append(path, (line + "\n").as_bytes());
    }

    pub(super) fn append(&self, path: &Path, bytes: &[u8]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        file.write_all(bytes).unwrap();
    }

    #[track_caller]
    pub(super) fn call(&self, method: &str, params: Value) -> Value {
        self.try_call(method, params).unwrap()
    }

    /// Makes a call that waits for the index for as long as that takes, unless it says otherwise.
    pub(super) fn try_call(&self, method: &str, mut params: Value) -> Result<Value, Value> {
        let has_index = ["list", "search", "stats"].map(|verb| format!("conversation.{verb}"));
        if has_index.iter().any(|name| name == method) && params["wait_ms"].is_null() {
            params["wait_ms"] = json!(60_000);
        }
        self.daemon.call_value(method, &params)
    }

    /// Returns the newest conversation in the list.
    pub(super) fn newest(&self) -> Value {
        self.call("conversation.list", json!({}))["conversations"][0].take()
    }

    pub(super) fn get(&self, session: &str) -> Value {
        self.call("conversation.get", json!({ "session": session }))
    }

    pub(super) fn stats(&self) -> Value {
        self.call("conversation.stats", json!({}))
    }

    /// Returns input and output tokens: all, and those of sub-agents.
    pub(super) fn tokens(&self) -> [u64; 4] {
        let usage = &self.stats()["usage"];
        let number = |part: &str, kind: &str| usage[part][kind].as_u64().unwrap();
        [
            number("total", "input_tokens"),
            number("total", "output_tokens"),
            number("subagents", "input_tokens"),
            number("subagents", "output_tokens"),
        ]
    }

    /// Returns the uuids of the records that a query finds, sorted.
    pub(super) fn found(&self, params: Value) -> Vec<String> {
        let reply = self.call("conversation.search", params);
        let hits = reply["hits"].as_array().unwrap().iter();
        let mut uuids: Vec<String> = hits
            .map(|hit| hit["uuid"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(reply["total"], uuids.len());
        uuids.sort();
        uuids
    }

    pub(super) fn ccctl(&self, args: &[&str]) -> Ran {
        Ccctl::new(&self.daemon).run(&[&["conversation"], args].concat())
    }

    pub(super) fn ok(&self, args: &[&str]) -> String {
        Ccctl::new(&self.daemon).ok(&[&["conversation"], args].concat())
    }
}

/// A record of a user or an assistant in the form that is on disk.
pub(super) fn record(session: &str, uuid: &str, message: Value) -> Value {
    let kind = message["role"].clone();
    json!({"parentUuid": null, "isSidechain": false, "cwd": "/srv/shop", "sessionId": session, "version": "2.1.330", "gitBranch": "main",
        "type": kind, "message": message, "uuid": uuid, "timestamp": "2026-03-01T08:00:02.000Z"})
}

pub(super) fn user(session: &str, uuid: &str, text: &str) -> String {
    record(session, uuid, json!({"role": "user", "content": text})).to_string()
}

/// An answer with a text, of 10 tokens of input and `output` of output.
pub(super) fn assistant(session: &str, uuid: &str, id: &str, text: &str, output: u64) -> String {
    let usage = json!({"input_tokens": 10, "output_tokens": output});
    let content = json!([{"type": "text", "text": text}]);
    let message = json!({"id": id, "role": "assistant", "model": "claude-opus-4-5-20251101", "content": content, "usage": usage});
    record(session, uuid, message).to_string()
}

/// Makes a line one of a sub-agent.
pub(super) fn of_agent(agent: &str, line: String) -> String {
    let mark = format!("\"isSidechain\":true,\"agentId\":\"{agent}\"");
    line.replace("\"isSidechain\":false", &mark)
}

/// Makes a line one of a sub-agent inside the transcript of its conversation, after this record.
pub(super) fn inline(line: String, before: Value) -> String {
    let line = line.replace("\"isSidechain\":false", "\"isSidechain\":true");
    line.replace("\"parentUuid\":null", &format!("\"parentUuid\":{before}"))
}

/// A call of a tool.
pub(super) fn call(session: &str, uuid: &str, id: &str, tool: &str, input: Value) -> String {
    let content = json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]);
    let usage = json!({"input_tokens": 10, "output_tokens": 5});
    let message = json!({"id": format!("m-{id}"), "role": "assistant", "model": "claude-opus-4-5-20251101", "content": content, "usage": usage});
    record(session, uuid, message).to_string()
}

/// The result of a call, with what Claude Code notes about it.
pub(super) fn result(session: &str, uuid: &str, id: &str, text: &str, meta: Value) -> String {
    let is_error = meta.is_string();
    let block =
        json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error});
    let mut record = record(session, uuid, json!({"role": "user", "content": [block]}));
    record["toolUseResult"] = meta;
    record.to_string()
}

/// Returns the lines of a conversation. A step is the name of one of the functions above, and its arguments after the session.
pub(super) fn transcript(session: &str, steps: Value) -> Vec<String> {
    let steps = steps.as_array().unwrap().iter();
    let line = |step: &Value| {
        let text = |at: usize| step[at].as_str().unwrap();
        let tokens = || step[4].as_u64().unwrap();
        match text(0) {
            "user" => user(session, text(1), text(2)),
            "assistant" => assistant(session, text(1), text(2), text(3), tokens()),
            "call" => call(session, text(1), text(2), text(3), step[4].clone()),
            "result" => result(session, text(1), text(2), text(3), step[4].clone()),
            other => panic!("{other}"),
        }
    };
    steps.map(line).collect()
}
