//! Names of what the daemon has, for completion and for the lists of the menu.

use crate::Failure;
use crate::args::NameKind;
use crate::call::{Connection, DaemonAddress, garbled, request_at};
use crate::caller::claude_dirs;
use crate::render::{counted, joined, on_one_line};
use serde_json::{Value, json};
use std::time::Duration;

/// A word for the command line, and what is said about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name {
    pub(crate) value: String,
    pub(crate) about: String,
}

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    /// Empty if it has none.
    pub(crate) name: String,
    pub(crate) has_ended: bool,
    pub(crate) about: String,
}

/// Where names come from. No daemon is started for them, because it would have none.
#[derive(Debug)]
pub(crate) struct Names {
    place: DaemonAddress,
    /// How long to wait for a reply.
    patience: Option<Duration>,
    /// The directory of tapes, unless it is the default one.
    tapes: Option<String>,
}

impl Names {
    pub(crate) fn new(place: DaemonAddress) -> Self {
        Self {
            place: place.without_start().without_questions(),
            patience: None,
            tapes: None,
        }
    }

    pub(crate) fn within(self, patience: Duration) -> Self {
        Self {
            patience: Some(patience),
            ..self
        }
    }

    pub(crate) fn with_tapes(self, tapes: Option<String>) -> Self {
        Self { tapes, ..self }
    }

    /// Returns the names of a kind. A live session has its name, an ended one its id, because another one may have its name
    /// now; so has one whose name looks like an option, which no command accepts.
    pub(crate) fn list(&self, kind: NameKind) -> Result<Vec<Name>, Failure> {
        use NameKind as Kind;
        let (method, list, name, about): (_, _, _, &[&str]) = match kind {
            Kind::LiveSessions | Kind::Sessions => {
                let sessions = self.sessions(kind == Kind::Sessions)?.into_iter();
                return Ok(sessions.map(Session::into_name).collect());
            }
            Kind::Programs => (
                "program.list",
                "programs",
                "name",
                &["error", "command_template"],
            ),
            Kind::Chains => ("chain.list", "chains", "name", &["problem", "step_count"]),
            Kind::Jobs => ("job.list", "jobs", "job", &["method"]),
            Kind::Tapes => ("tape.list", "tapes", "tape_id", &["program"]),
            Kind::Executions => (
                "exec.list",
                "executions",
                "request_id",
                &["status", "instruction"],
            ),
            Kind::Conversations => ("exec.sessions", "sessions", "session_id", &["repo_path"]),
            Kind::Transcripts => (
                "conversation.list",
                "conversations",
                "session_id",
                &["project", "title"],
            ),
            Kind::Investigations => ("investigate.list", "reports", "id", &["program"]),
            Kind::TestReports => ("test.list", "reports", "id", &["program"]),
            Kind::PendingCandidates | Kind::Candidates => {
                ("coach.ledger", "candidates", "id", &["title"])
            }
            Kind::ConfigKeys => ("config.list", "entries", "key", &["description"]),
            Kind::Categories => ("pattern.list", "patterns", "category", &["description"]),
        };
        let params = match (kind, &self.tapes) {
            (Kind::Tapes, Some(root)) => json!({ "root": root }),
            (Kind::Transcripts, _) => json!({ "claude_dirs": claude_dirs() }),
            (Kind::PendingCandidates, _) => json!({ "status": "pending" }),
            _ => json!({}),
        };
        let reply = self.ask(method, &params)?;
        let items = reply[list].as_array().into_iter().flatten();
        let item = |one: &Value| Name {
            value: text(one, name).to_owned(),
            about: self::about(one, about),
        };
        Ok(items.map(item).collect())
    }

    pub(crate) fn sessions(&self, all: bool) -> Result<Vec<Session>, Failure> {
        let reply = self.ask("session.list", &json!({ "all": all }))?;
        let sessions = reply["sessions"].as_array().into_iter().flatten();
        let session = |one: &Value| {
            let has_ended = text(one, "state") != "alive";
            let ended = if has_ended { "(ended) " } else { "" };
            Session {
                id: text(one, "session_id").to_owned(),
                name: text(one, "name").to_owned(),
                has_ended,
                about: format!("{ended}{}", command(one)),
            }
        };
        Ok(sessions.map(session).collect())
    }

    fn ask(&self, method: &str, params: &Value) -> Result<Value, Failure> {
        let reply = match self.patience {
            None => request_at(&self.place, method, params)?,
            Some(patience) => {
                Connection::limited(self.place.connect()?, patience)?.request(method, params)?
            }
        };
        serde_json::from_str(reply.get()).map_err(|error| garbled(method, &error))
    }
}

impl Session {
    fn into_name(self) -> Name {
        let is_name = !self.name.is_empty() && !self.has_ended && !self.name.starts_with('-');
        Name {
            value: if is_name { self.name } else { self.id },
            about: self.about,
        }
    }
}

/// What members of an item say about it; of a program, its command line.
fn about(item: &Value, keys: &[&str]) -> String {
    let parts = keys.iter().map(|key| match &item[*key] {
        Value::String(_) if *key == "program" => command(item),
        Value::String(text) => on_one_line(text),
        Value::Number(count) => {
            counted(count.as_u64().unwrap_or(0), key.trim_end_matches("_count"))
        }
        _ => String::new(),
    });
    joined("  ", parts.filter(|part| !part.is_empty()))
}

fn command(item: &Value) -> String {
    let args = item["args"].as_array().into_iter().flatten();
    let words = std::iter::once(&item["program"]).chain(args);
    on_one_line(&joined(" ", words.filter_map(Value::as_str)))
}

fn text<'a>(item: &'a Value, key: &str) -> &'a str {
    item[key].as_str().unwrap_or_default()
}
