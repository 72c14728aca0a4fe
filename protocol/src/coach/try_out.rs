//! What can be tried without storing anything, and what the daemon otherwise does by itself.

use super::{Candidate, CandidateType, EventType, SignalType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Parameters of `coach.detect`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachDetectParams {
    /// Hook payloads as texts of JSON, in order; at most 10,000.
    pub payloads: Vec<String>,
}

/// Reply of `coach.detect`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachDetectReply {
    /// One for each payload.
    pub results: Vec<Detected>,
}

/// The signals of one payload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Detected {
    pub signals: Vec<Signal>,
    /// Why the payload cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A signal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Signal {
    pub signal_type: SignalType,
    pub event_type: EventType,
    /// The patterns that matched, as they are spelled in the configuration; objects `{pattern, text}` for version issues.
    pub matches: Vec<Value>,
    /// 0.0 to 1.0.
    pub confidence: f64,
    /// Members that only this type has, such as `exit_code`.
    #[serde(flatten)]
    pub detail: Map<String, Value>,
}

/// Parameters of `coach.fingerprint`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachFingerprintParams {
    #[serde(rename = "type")]
    pub candidate_type: CandidateType,
    pub trigger: String,
    pub action: String,
}

/// Reply of `coach.fingerprint`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachFingerprintReply {
    /// Trigger and action, normalised: the column of the ledger.
    pub normalized_text: String,
    pub normalized_trigger: String,
    pub normalized_action: String,
    /// SHA-256 of type, normalised trigger and normalised action with `|` between them, 64 hexadecimal digits.
    pub fingerprint: String,
}

/// Reply of `coach.aggregate`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachAggregateReply {
    /// The new candidates.
    pub candidates: Vec<Candidate>,
    /// Existing candidates that got more evidence.
    pub seen_again: u64,
    /// Events that are now processed.
    pub processed: u64,
    /// Events that wait for more evidence.
    pub pending: u64,
    pub duration_ms: u64,
}

/// Reply of `coach.patterns`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachPatternsReply {
    pub groups: Vec<PatternGroup>,
    /// The coach's configuration file.
    pub path: String,
    /// Groups of the file that cannot be used, and why; the built-in groups are used instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// A group of patterns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternGroup {
    /// `signal_patterns` or `scope_indicators`.
    pub section: String,
    /// Such as `correction`.
    pub name: String,
    pub patterns: Vec<String>,
    /// True if it is not from the configuration file.
    pub built_in: bool,
}
