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

/// Returns a sentence about when a session will be ended by a limit; empty if it will not.
pub(crate) fn will_end(session: &Value) -> String {
    let when = text("session limits", session);
    if when.is_empty() {
        return when;
    }
    // A limit that was asked for applies in spite of --persist.
    let advice = if session["persist"] == true {
        ""
    } else {
        "; --persist disables this limit"
    };
    format!("the session will be ended {when}{advice}")
}

#[cfg(test)]
#[path = "session_tests.rs"]
pub(crate) mod tests;
