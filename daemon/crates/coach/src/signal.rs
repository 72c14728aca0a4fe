//! Signals: what the detector finds in one hook payload.

pub(crate) use ccd_protocol::coach::{EventType, SignalType};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// One finding. Each is stored as one event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Signal {
    pub(crate) signal_type: SignalType,
    pub(crate) event_type: EventType,
    /// The patterns that matched, as they are spelled in the configuration; objects `{pattern, text}` for version issues.
    pub(crate) matches: Vec<Value>,
    /// 0.0 to 1.0.
    pub(crate) confidence: f64,
    /// Members that only this kind has, such as `exit_code`.
    #[serde(flatten)]
    pub(crate) detail: Map<String, Value>,
    /// What was said or printed, shortened; the column `content`.
    #[serde(skip)]
    pub(crate) content: String,
}

impl Signal {
    /// Sets a member that only this kind has.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.detail.insert(name.to_owned(), value.into());
    }

    /// Returns the column `context` of its event: its details, with what each kind has, and without nulls.
    pub(crate) fn context(&self) -> Map<String, Value> {
        let mut context = self.detail.clone();
        context.retain(|_, value| !value.is_null());
        context.insert("signal_type".into(), json!(self.signal_type));
        context.insert("matches".into(), json!(self.matches));
        context.insert("confidence".into(), json!(self.confidence));
        context
    }
}
