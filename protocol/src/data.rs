//! Everything that is kept about the user, in parts.

use crate::method::{NoParams, methods};
use crate::named::named;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::fmt;

methods! {
    DataList = "data.list" (NoParams) -> DataListReply, "Lists what ccd keeps: for each part, its size, its places, the time of the oldest entry, how long it is kept, and what switches it off.";
    DataForget = "data.forget" (DataForgetParams) -> DataForgetReply, "Deletes parts of what ccd keeps; with `dry_run`, only reports what it would delete.";
}

// They are listed and deleted in this order: events know which repositories payloads are of.
named! {
    /// A part of what is kept.
    DataPart {
        /// Ended sessions: their output, and the history of what was typed and printed.
        Sessions = "sessions",
        /// Tapes in the directory of the configuration.
        Tapes = "tapes",
        /// Payloads of Claude Code's hooks, and the agents that they report.
        Hooks = "hooks",
        /// Events of the coach, and its proposals.
        Coach = "coach",
        /// The index of conversations, imported and archived transcripts.
        Conversations = "conversations",
        /// Session memories of projects.
        Memory = "memory",
        /// Headless runs of Claude Code, and their conversations.
        Runs = "runs",
        /// Reports of investigations and tests.
        Reports = "reports",
        /// Results of jobs.
        Jobs = "jobs",
        /// The daemon's own log.
        Logs = "logs",
    }
}

impl fmt::Display for DataPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reply of `data.list`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DataListReply {
    pub parts: Vec<DataKept>,
}

/// One part of the data.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DataKept {
    #[serde(flatten)]
    pub has: DataSelected,
    /// Files and directories that exist.
    pub places: Vec<String>,
    /// Size of the places. A database that several parts share is counted with the first.
    pub bytes: u64,
    /// How long it is kept.
    pub kept: String,
    /// What switches it off.
    pub off: String,
}

/// Parameters of `data.forget`. All that are given must hold.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DataForgetParams {
    /// At least one.
    pub parts: Vec<DataPart>,
    /// Delete only the data of this directory and those in it; for `coach` and `hooks`, of its whole repository.
    pub project: Option<String>,
    /// Delete only data older than this time, RFC 3339.
    pub before: Option<String>,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub dry_run: bool,
}

/// Reply of `data.forget`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DataForgetReply {
    /// Nothing was deleted.
    pub dry_run: bool,
    pub parts: Vec<DataSelected>,
}

/// What of a part was, or would be, deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DataSelected {
    pub part: DataPart,
    /// Number of sessions, tapes, events, payloads, files, runs, reports or jobs.
    pub items: u64,
    /// The same in words.
    pub what: String,
    /// Time of the oldest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// What is kept, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
    /// What could not be read or deleted, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
}

impl DataSelected {
    /// Nothing of a part.
    #[must_use]
    pub fn none(part: DataPart) -> Self {
        Self {
            part,
            items: 0,
            what: "nothing".to_owned(),
            since: None,
            left: Vec::new(),
            failed: Vec::new(),
        }
    }

    /// `items` of a kind, for example `("session", "sessions")`, the oldest of which is of the time `since`.
    #[must_use]
    pub fn of(part: DataPart, items: u64, kind: (&str, &str), since: Option<String>) -> Self {
        if items == 0 {
            return Self::none(part);
        }
        Self {
            items,
            what: counted(items, kind),
            since,
            ..Self::none(part)
        }
    }

    /// Adds items of another kind.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.what = match (self.items, other.items) {
            (_, 0) => self.what,
            (0, _) => other.what,
            _ => format!("{}, {}", self.what, other.what),
        };
        self.items += other.items;
        self.since = self.since.into_iter().chain(other.since).min();
        self.left.extend(other.left);
        self.failed.extend(other.failed);
        self
    }

    /// Notes that `count` things stay, if there are any.
    #[must_use]
    pub fn leaving(mut self, count: u64, kind: (&str, &str), why: &str) -> Self {
        if count > 0 {
            self.left.push(format!("{}: {why}", counted(count, kind)));
        }
        self
    }
}

fn counted(count: u64, (one, many): (&str, &str)) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    }
}
