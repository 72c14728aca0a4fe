//! Events as the aggregation reads them.

use crate::signal::SignalType;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Deref;

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Event {
    pub(crate) id: String,
    /// RFC 3339, UTC.
    pub(crate) timestamp: String,
    /// `None` for a kind that this version does not know: it says nothing.
    pub(crate) signal_type: Option<SignalType>,
    /// The seed's id of the repository.
    pub(crate) repo_id: String,
    /// What repositories are counted by: equal for two clones of one, whatever their address. `repo_id` when it is empty.
    #[serde(default)]
    pub(crate) repo_key: String,
    #[serde(default)]
    pub(crate) session_id: String,
    #[serde(default)]
    pub(crate) content: String,
    pub(crate) context: EventContext,
}

/// Of the context of an event, what the aggregation reads.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct EventContext {
    pub(crate) command: Text,
    pub(crate) content: Text,
    pub(crate) file: Text,
    pub(crate) file_path: Text,
    pub(crate) similar_count: Value,
    pub(crate) similar_messages: Value,
    pub(crate) skill_name: Text,
    pub(crate) stderr: Text,
    pub(crate) stderr_preview: Text,
    pub(crate) verified_action: Text,
    pub(crate) violations: Value,
}

/// A text; empty where another program has written a value of another type.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(from = "Value")]
pub(crate) struct Text(String);

impl From<Value> for Text {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self(text),
            _ => Self::default(),
        }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Event {
    /// Returns what was said or printed.
    pub(crate) fn message(&self) -> &str {
        if self.content.trim().is_empty() {
            &self.context.content
        } else {
            &self.content
        }
    }

    /// Returns what a command has printed as an error.
    pub(crate) fn stderr(&self) -> &str {
        match (&*self.context.stderr, &*self.context.stderr_preview) {
            ("", "") => self.message(),
            ("", preview) => preview,
            (stderr, _) => stderr,
        }
    }

    /// Returns the session; for events without one, as ledgers of other tools have them, the day.
    pub(crate) fn session(&self) -> &str {
        if self.session_id.is_empty() {
            self.timestamp.get(..10).unwrap_or(&self.timestamp)
        } else {
            &self.session_id
        }
    }

    /// Returns what its repository is counted by.
    pub(crate) fn repo_key(&self) -> &str {
        if self.repo_key.is_empty() {
            &self.repo_id
        } else {
            &self.repo_key
        }
    }
}

ccd_store::row! {
    /// A command that succeeded after a command of the same base had failed in the same session.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Success {
        pub(crate) timestamp: String,
        #[serde(default)]
        pub(crate) session_id: String,
        #[serde(default)]
        pub(crate) repo_id: String,
        pub(crate) command: String,
    }
}
