//! Sessions: how they ended, and when they will.

use super::template::text;
use ccd_protocol::session::Ended;
use serde_json::{Value, json};

/// Returns how a session or a program ended, such as `exited 0` or `signal 15 (closed)`, from `exitstatus`, `signal` and
/// perhaps `end_reason`.
pub(crate) fn end(of: &Value) -> String {
    text("end", of)
}

/// As [`end`], of a session that was followed.
pub(crate) fn ended(ended: &Ended) -> String {
    let (exitstatus, signal, reason) = (ended.exitstatus, ended.signal, ended.end_reason);
    let reason = reason.map(|reason| reason.name());
    end(&json!({"exitstatus": exitstatus, "signal": signal, "end_reason": reason}))
}

pub(crate) fn command_line(session: &Value) -> String {
    text("command line", session)
}

#[cfg(test)]
#[path = "session_tests.rs"]
pub(crate) mod tests;
