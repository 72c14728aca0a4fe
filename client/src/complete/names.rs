//! Names from the daemon, if it replies at once.

use super::Candidate;
use super::kind::ValueKind;
use super::line::TypedLine;
use crate::args::Global;
use crate::call::{Connection, DaemonAddress};
use crate::caller::{claude_dirs, given_path};
use crate::render::printable;
use serde_json::{Value, json};
use std::time::Duration;

/// How long to wait for a reply.
const PATIENCE: Duration = Duration::from_millis(300);

/// Keys other than characters; `C-`, `M-` or `S-` in front adds a modifier.
const KEYS: [&str; 28] = [
    "Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home",
    "End", "PageUp", "PageDown", "Insert", "Delete", "F1", "F2", "F3", "F4", "F5", "F6", "F7",
    "F8", "F9", "F10", "F11", "F12",
];

#[derive(Debug)]
pub(super) struct Names {
    place: Option<DaemonAddress>,
    tapes: Option<String>,
}

impl Names {
    /// Asks the daemon that the line names, or the default one; never starts a daemon. Another host is not asked: the
    /// connection would take too long.
    pub(super) fn at(line: &TypedLine<'_>) -> Self {
        let global = Global {
            socket: line.socket.clone(),
            host: line.host.clone(),
            no_start: true,
            ..Global::default()
        };
        let place = DaemonAddress::find(&global, |name| std::env::var_os(name)).ok();
        Self {
            tapes: given_path(line.tapes.as_deref()).ok().flatten(),
            place: place.filter(|place| place.host().is_none()),
        }
    }

    pub(super) fn of(&self, kind: &ValueKind, current: &str) -> Vec<Candidate> {
        let mut all = match kind {
            ValueKind::Words(words) => words.iter().map(|word| candidate(word, "")).collect(),
            ValueKind::Keys => return keys(current),
            ValueKind::LiveSession => self.sessions(false, current),
            ValueKind::Session => self.sessions(true, current),
            ValueKind::Program => self.list("program.list", "programs", "name", "command_template"),
            ValueKind::Chain => self.list("chain.list", "chains", "name", ""),
            ValueKind::Job => self.list("job.list", "jobs", "job", "method"),
            ValueKind::Execution => {
                self.list("exec.list", "executions", "request_id", "instruction")
            }
            ValueKind::Conversation => {
                self.list("exec.sessions", "sessions", "session_id", "repo_path")
            }
            ValueKind::Transcript | ValueKind::TranscriptOrFile => self.transcripts(),
            ValueKind::Investigation => self.list("investigate.list", "reports", "id", "program"),
            ValueKind::TestReport => self.list("test.list", "reports", "id", "program"),
            ValueKind::ConfigKey => self.list("config.list", "entries", "key", "description"),
            ValueKind::Tape => self.tapes(),
            ValueKind::PendingCandidate => self.candidates(&json!({ "status": "pending" })),
            ValueKind::Candidate => self.candidates(&json!({})),
            ValueKind::Variables => std::env::vars_os()
                .filter_map(|(name, _)| Some(candidate(name.to_str()?, "")))
                .collect(),
            ValueKind::Category => self.list("pattern.list", "patterns", "category", "description"),
            ValueKind::Files | ValueKind::Folders | ValueKind::Programs | ValueKind::Nothing => {
                Vec::new()
            }
        };
        all.retain(|Candidate { value, .. }| !value.is_empty() && value.starts_with(current));
        all.sort();
        all.dedup_by(|a, b| a.value == b.value);
        all
    }

    fn ask(&self, method: &str, params: &Value) -> Option<Value> {
        let stream = self.place.as_ref()?.try_connect().ok()??;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        stream.set_write_timeout(Some(PATIENCE)).ok()?;
        let reply = Connection::over(stream).request(method, params).ok()?;
        serde_json::from_str(reply.get()).ok()
    }

    fn list(&self, method: &str, list: &str, name: &str, about: &str) -> Vec<Candidate> {
        let reply = self.ask(method, &json!({})).unwrap_or_default();
        items(&reply, list, name, about)
    }

    /// Conversations of the user's directory of Claude Code, described by their titles.
    fn transcripts(&self) -> Vec<Candidate> {
        let params = json!({ "claude_dirs": claude_dirs() });
        let reply = self.ask("conversation.list", &params).unwrap_or_default();
        items(&reply, "conversations", "session_id", "title")
    }

    fn candidates(&self, params: &Value) -> Vec<Candidate> {
        let reply = self.ask("coach.ledger", params).unwrap_or_default();
        let mut found = items(&reply, "candidates", "id", "title");
        for one in &mut found {
            one.about = printable(&one.about);
        }
        found
    }

    /// Tapes of the directory that the line names, described by their program and its arguments.
    fn tapes(&self) -> Vec<Candidate> {
        let params = match &self.tapes {
            Some(root) => json!({ "root": root }),
            None => json!({}),
        };
        let reply = self.ask("tape.list", &params).unwrap_or_default();
        let tapes = reply["tapes"].as_array().into_iter().flatten();
        tapes
            .map(|tape| candidate(text(tape, "tape_id"), &command_of(tape)))
            .collect()
    }

    /// Sessions by name; by id if they have no name that can be typed, or if the start of the id is typed.
    fn sessions(&self, all: bool, current: &str) -> Vec<Candidate> {
        let reply = self
            .ask("session.list", &json!({ "all": all }))
            .unwrap_or_default();
        let mut found = Vec::new();
        for session in reply["sessions"].as_array().into_iter().flatten() {
            let mut about = command_of(session);
            if text(session, "state") != "alive" {
                about = format!("(ended) {about}");
            }
            let (id, name) = (text(session, "session_id"), text(session, "name"));
            // A name that looks like an option is accepted only after `--`.
            let is_name = !name.is_empty() && (!name.starts_with('-') || current.starts_with('-'));
            if is_name {
                found.push(candidate(name, &about));
            }
            if !is_name || (!current.is_empty() && id.starts_with(current)) {
                found.push(candidate(id, &about));
            }
        }
        found
    }
}

fn items(reply: &Value, list: &str, name: &str, about: &str) -> Vec<Candidate> {
    let items = reply[list].as_array().into_iter().flatten();
    items
        .map(|item| candidate(text(item, name), text(item, about)))
        .collect()
}

fn text<'a>(item: &'a Value, key: &str) -> &'a str {
    item[key].as_str().unwrap_or_default()
}

fn command_of(item: &Value) -> String {
    let args = item["args"].as_array().into_iter().flatten();
    let words = std::iter::once(&item["program"]).chain(args);
    let words: Vec<&str> = words.filter_map(Value::as_str).collect();
    words.join(" ")
}

fn candidate(value: &str, about: &str) -> Candidate {
    Candidate {
        value: value.to_owned(),
        about: about.to_owned(),
    }
}

/// Keys after the last comma; with a modifier only if the start of one is typed.
fn keys(current: &str) -> Vec<Candidate> {
    let (before, key) = current
        .rsplit_once(',')
        .map_or(("", current), |(keys, key)| (&current[..=keys.len()], key));
    let (modifier, rest) = match key.get(..2) {
        Some(modifier @ ("C-" | "M-" | "S-")) => (modifier, &key[2..]),
        _ => ("", key),
    };
    let letters = ('a'..='z')
        .map(String::from)
        .filter(|_| !modifier.is_empty() && modifier != "S-");
    let names = KEYS.iter().map(|name| (*name).to_owned()).chain(letters);
    let modifiers = ["C-", "M-", "S-"]
        .iter()
        .filter(|_| modifier.is_empty())
        .map(|name| (*name).to_owned());
    names
        .chain(modifiers)
        .filter(|name| name.starts_with(rest))
        .map(|name| candidate(&format!("{before}{modifier}{name}"), ""))
        .collect()
}
