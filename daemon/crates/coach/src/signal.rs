//! Signals: what the detector finds in one hook payload.

pub use ccd_protocol::coach::{EventType, SignalType};
use serde::Serialize;
use serde_json::{Map, Value};

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
