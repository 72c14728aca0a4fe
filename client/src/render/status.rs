//! The daemon's state.

use super::Printer;
use crate::fields::Fields as _;
use serde_json::Value;
use std::io;

/// Writes the daemon's state, with the number of hooks that ran. What a configuration was refused for is left out if the
/// daemon has started in spite of it: then it warns of the same.
pub(crate) fn status(reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let mut status = reply.clone();
    if reply["hooks"].is_object() {
        let events = reply.list("hooks.events").iter();
        let ran: u64 = events.map(|event| event.number("count")).sum();
        status["hooks"]["ran"] = ran.into();
    }
    if reply
        .list("config_warnings")
        .contains(&reply["config_error"])
    {
        status["config_error"].take();
    }
    out.reply("daemon.status", &status)
}
