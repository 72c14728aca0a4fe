//! Signals: what the detector finds in one hook payload.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The kind of a signal, in the order in which the signals of one payload are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SignalType {
    UserCorrection,
    ToneEscalation,
    Repetition,
    SkillSupplement,
    VerificationQuestion,
    CommandFailure,
    VersionIssue,
    ProcessViolation,
}

/// When an event happened within a turn: the column `event_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventType {
    /// A prompt of the user.
    Pre,
    /// A tool call or a permission.
    Tool,
    /// Everything else, for example the end of a turn.
    Post,
}

/// One finding. Each is stored as one event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Signal {
    pub signal_type: SignalType,
    pub event_type: EventType,
    /// The patterns that matched, as they are spelled in the configuration; objects `{pattern, text}` for version issues.
    pub matches: Vec<Value>,
    /// 0.0 to 1.0.
    pub confidence: f64,
    /// Members that only this kind has, such as `exit_code`.
    #[serde(flatten)]
    pub detail: Map<String, Value>,
    /// What was said or printed, shortened; the column `content`.
    #[serde(skip)]
    pub content: String,
}
