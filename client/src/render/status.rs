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

#[cfg(test)]
mod tests {
    use crate::render::printer::printed;
    use serde_json::json;

    #[test]
    fn the_state_has_what_is_there_with_units() {
        let status = json!({
            "version": "1", "protocol": 2, "pid": 7, "holder_pid": 6, "uptime_s": 62.0, "socket": "/s",
            "last_hand_over": {"number": 2, "cause": "upgrade", "rolled_back": true, "reason": "it ended", "at": "some day"},
            "sessions": {"live": 1, "ended": 2, "max": 0}, "jobs": {"running": 0, "queued": 3}, "connections": 4,
            "paths": {"log": "/l"}, "sizes": {"a": 0, "b": 2048}, "queues": {"a": 0}, "drops": {"c": 1},
            "limits": {"batch": 100, "frame_bytes": 16 << 20, "max_output_size": 1 << 20, "max_sessions": 0,
                "session_timeout_s": 300},
            "hooks": {"events": [{"event": "Stop", "count": 0}], "spool": {"files": 3, "lost": 1}},
            "lacks": [], "config_warnings": ["x"], "config_error": "x", "last_errors": ["oh"],
        });
        let expected = "\
version   1, protocol 2
pid       7, holder 6
uptime    1m02s
handover  2 (upgrade), some day, rolled back: it ended
socket    /s
sessions  1 live (no limit), 2 ended
jobs      0 running, 3 queued
clients   4
path      log /l
config    no file, the defaults apply
limits    batch 100, frame_bytes 16M, max_output_size 1.0M, max_sessions none, session_timeout 300 s
on disk   b 2.0K
dropped   c 1
hooks     3 in the spool, 1 lost
config    x
error     oh
";
        assert_eq!(printed(|out| super::status(&status, out)), expected);
    }
}
