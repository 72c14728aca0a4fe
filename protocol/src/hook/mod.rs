//! Hooks of Claude Code: what `ccctl hook` hands to the daemon, and where it keeps that if no daemon takes it.

pub mod spool;

use crate::method::methods;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_with::skip_serializing_none;

methods! {
    HookPost = "hook.post" (HookPostParams) -> HookPostReply, "Accepts the payload of one Claude Code hook. A delivery that was accepted before is not recorded again.";
}

/// Parameters of `hook.post`, with either `payload` or `payload_b64`.
///
/// A file in the [`spool`] contains exactly this object.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HookPostParams {
    /// 32 hexadecimal digits that identify this delivery. A repeated delivery has the same digits.
    pub delivery_id: String,
    /// When the hook was called, in UTC, such as `2026-01-31T12:00:00.000000Z`.
    pub at: String,
    /// The session that the hook ran in, from `CCD_SESSION_ID`.
    pub session: Option<String>,
    /// The payload, if it is a JSON object.
    // Unparsed: it may be large, be nested more deeply than a tree of values may be, and have half a surrogate pair in an
    // escape (`\ud83d` of a text that was cut off), which JavaScript writes and no Rust string holds.
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    pub payload: Option<Box<RawValue>>,
    /// The payload in base64, if it is anything else or was cut off.
    pub payload_b64: Option<String>,
}

/// Reply of `hook.post`, sent once the payload is safe from `kill -9`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HookPostReply {
    /// What the hook should print to its standard output. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// Hooks since the daemon's start, and the spool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HookStatus {
    /// Each event that has occurred, in the order of its name.
    pub events: Vec<HookEventStatus>,
    pub spool: SpoolStatus,
}

/// The hooks of one event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HookEventStatus {
    /// Its `hook_event_name`.
    pub event: String,
    pub count: u64,
    /// When it last occurred, in UTC.
    pub last_at: String,
    /// How long the daemon took for the last one.
    pub last_ms: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ms: Option<f64>,
    /// How many came from the spool.
    pub spooled: u64,
}

/// What waits in the spool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SpoolStatus {
    pub files: u64,
    pub bytes: u64,
    /// Payloads that were lost because the spool was full or could not be written.
    pub lost: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_kept_as_it_was_written() {
        // More levels than serde_json parses into values.
        let payload = format!(
            r#"{{"a": 1.50, "c": "\ud83d", "b":{}{}}}"#,
            "[".repeat(500),
            "]".repeat(500)
        );
        let text = format!(
            r#"{{"delivery_id":"0f","at":"2026-01-31T12:00:00.000000Z","payload":{payload}}}"#
        );
        let params: HookPostParams = serde_json::from_str(&text).unwrap();
        assert_eq!(
            params.payload.as_deref().map(RawValue::get),
            Some(&*payload)
        );
        assert_eq!(serde_json::to_string(&params).unwrap(), text);
    }
}
