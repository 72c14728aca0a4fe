//! What is recorded, and moving the ledger between machines.

use super::{Candidate, Promotion, SignalType};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::apply;

/// Parameters of `coach.mute`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachMuteParams {
    /// Only this type of signal; all if absent.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub signal_type: Option<SignalType>,
    /// Only this project, a directory or a `repo_id`; all if absent. At least one of the two must be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Record again.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub off: bool,
}

/// A type of signal, a project, or both, whose events are not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mute {
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub signal_type: Option<SignalType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<String>,
    pub since: String,
}

/// Reply of `coach.mute`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachMuteReply {
    /// All that are in force.
    pub mutes: Vec<Mute>,
}

/// Parameters of `coach.forget`; at least one must be given, and all that are given must hold.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachForgetParams {
    /// Only this project: a `repo_id`, or a directory in it.
    pub project: Option<String>,
    /// Only this session of Claude Code.
    pub session: Option<String>,
    /// Only events before this time, RFC 3339.
    pub before: Option<String>,
    /// Delete everything, including candidates that were not approved.
    pub all: bool,
}

/// Reply of `coach.forget`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachForgetReply {
    pub events: u64,
    /// Payloads of hooks.
    pub payloads: u64,
    pub candidates: u64,
}

/// Reply of `coach.export`: a document for `coach.import`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachExportReply {
    /// 1.
    pub version: u32,
    pub exported_at: String,
    pub candidates: Vec<Candidate>,
    pub promotions: Vec<Promotion>,
}

/// Parameters of `coach.import`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachImportParams {
    /// A document of `coach.export`, or an object with a list `candidates` in the columns of the ledger.
    pub document: Value,
}

/// Reply of `coach.import`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachImportReply {
    pub added: u64,
    /// Existing candidates, to which the data of the document was added.
    pub merged: u64,
    /// Fingerprints of the candidates that were added or merged, in the order of the document.
    #[serde(default)]
    pub fingerprints: Vec<String>,
    /// Entries that cannot be used, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}
