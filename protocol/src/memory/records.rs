//! Parameters and replies of the methods `memory.*`.

use super::SessionMemory;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;

/// The source of a part of the memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryFact {
    /// Path relative to the project, or another source, such as `listening ports` or `hook events`.
    pub source: String,
    /// Time for which the source gave this value, RFC 3339; null if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// A project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryParams {
    /// Absolute path of its directory.
    pub project: String,
}

/// Parameters of `memory.save`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemorySaveParams {
    /// Absolute path of the project's directory.
    pub project: String,
    /// The memory to write; if null, the state of the project is collected. It must be valid; recognised secrets in it are masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<SessionMemory>,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemorySaveReply {
    pub path: String,
    pub bytes: u64,
    /// How many entries of each list were left out.
    #[serde(default)]
    pub cut: BTreeMap<String, u64>,
    /// How many secrets were removed from the texts that the memory is made of.
    #[serde(default)]
    pub redacted: u64,
    /// Parts that were left out, and why.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// A memory as it is in its file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryGetReply {
    #[serde(flatten)]
    pub memory: SessionMemory,
    /// Source of each part, by its path in the memory, such as `environment.servers`.
    #[serde(default)]
    pub provenance: BTreeMap<String, MemoryFact>,
    /// What the save left out, and what could not be read.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What was done last, looked up now; it is not in the file.
    #[serde(default)]
    pub recent: Vec<MemoryRecent>,
}

/// Something that was done in the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryRecent {
    pub kind: MemoryRecentKind,
    pub text: String,
    /// RFC 3339; absent for the current state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MemoryRecentKind {
    /// The branch, and how many commits it has that the default branch does not have.
    Branch,
    /// Files that differ from the last commit.
    Uncommitted,
    /// The subject of one of the last commits.
    Commit,
    /// The last prompt to Claude Code, and the start of its answer; only if conversations are indexed.
    Conversation,
    /// The instruction of a headless run, and how it ended.
    Run,
}

impl MemoryRecentKind {
    /// Returns how it is shown to people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Branch => "Branch",
            Self::Uncommitted => "Uncommitted",
            Self::Commit => "Commit",
            Self::Conversation => "Last conversation",
            Self::Run => "Run",
        }
    }
}

/// Parameters of `memory.load`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryLoadParams {
    /// Absolute path of the project's directory.
    pub project: String,
    /// Return only the changes and a summary, as for a resumed session.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub short: bool,
}

/// A fact of the memory that was checked again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryCheck {
    /// A sentence, such as `port 3001 no longer answers`.
    pub fact: String,
    /// Whether the saved value is still true.
    pub holds: bool,
    pub was: String,
    pub now: String,
}

/// What a new session gets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryLoadReply {
    pub digest: String,
    pub path: String,
    pub verified: Vec<MemoryCheck>,
    /// Parts that could not be checked in time: `branch`, `commits`, `servers`, `tasks`, `tests`, `files`,
    /// `conflicts`, `commands`, `uncommitted`, `recent`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unverified: Vec<String>,
}

/// Parameters of `memory.link`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryLinkParams {
    /// Absolute path of the project's directory.
    pub project: String,
    /// Change the file; if false, only return the diff.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub write: bool,
}

/// The change of CLAUDE.md.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryLinkReply {
    pub file: String,
    /// As a unified diff; empty if the file imports the memory already.
    pub diff: String,
    /// The file was changed.
    #[serde(default)]
    pub written: bool,
}

/// How old a memory is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryStatusReply {
    pub path: String,
    /// RFC 3339, or `unknown`.
    pub generated_at: String,
    /// Null if the time is unknown.
    pub age_s: Option<f64>,
    pub changes: Vec<String>,
    /// False if the file is empty; `changes` says so then.
    #[serde(default)]
    pub has_data: bool,
}

/// Parameters of `memory.validate`: one of the two.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryValidateParams {
    /// Absolute path of the file to check.
    pub path: Option<String>,
    /// The text of a file.
    pub content: Option<String>,
}

/// What is wrong with a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryValidateReply {
    pub valid: bool,
    pub errors: Vec<String>,
    /// What could not be read and was left out.
    #[serde(default)]
    pub warnings: Vec<String>,
}
