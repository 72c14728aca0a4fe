//! Signals in payloads.

use crate::fields::Fields as _;
use crate::render::Printer;
use serde_json::{Value, json};
use std::io;

/// Writes one line per signal, after the number of its payload, counted from 1.
pub(crate) fn detected(reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let mut rows = Vec::new();
    for (number, payload) in (1..).zip(reply.list("results")) {
        let error = payload.get("error").filter(|error| error.is_string());
        rows.extend(error.map(|error| json!({"payload": number, "error": error})));
        let signals = payload.list("signals").iter();
        rows.extend(signals.map(|signal| json!({"payload": number, "signal": signal})));
    }
    out.reply("coach.detect", &json!({"signals": rows}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;

    #[test]
    fn an_event_is_a_line_with_its_command_or_its_text_and_how_to_see_its_turn() {
        let event = |content: &str, context: Value| {
            json!({"id": "a1b2c3d4", "timestamp": "2026-01-31T12:00:00.000Z", "event_type": "tool",
                   "signal_type": "COMMAND_FAILURE", "repo_id": "r", "content": content,
                   "context": context, "processed": false})
        };
        let mut of_claude_code = event("no,\nuse pnpm", json!({}));
        for (key, value) in [
            ("session_id", "s1"),
            ("tool_use_id", "toolu_1"),
            ("prompt_id", "p1"),
        ] {
            of_claude_code[key] = value.into();
        }
        let failed = event("exit 1", json!({"command": "npm ci\u{1b}[2J"}));
        let text =
            printed(|out| out.reply("coach.events", &json!({"events": [failed, of_claude_code]})));
        let start = "a1b2c3d4  2026-01-31T12:00:00.000Z  COMMAND_FAILURE  waiting  ";
        let below = "    ccctl conversation show s1 --at toolu_1\n";
        assert_eq!(
            text,
            format!("{start}npm ci\\u{{1b}}[2J\n{start}no,\\nuse pnpm\n{below}")
        );
    }

    #[test]
    fn signals_are_numbered_by_their_payload() {
        let reply = json!({"results": [
            {"signals": []},
            {"signals": [
                {"signal_type": "VERSION_ISSUE", "event_type": "tool", "confidence": 0.8,
                 "matches": [{"pattern": "p", "text": "node 12"}]},
                {"signal_type": "COMMAND_FAILURE", "event_type": "tool", "confidence": 0.75,
                 "matches": ["a", "b"], "exit_code": 1},
            ]},
            {"signals": [], "error": "not JSON"},
        ]});
        let text = printed(|out| detected(&reply, out));
        let expected = "\
2  VERSION_ISSUE    tool  0.80  node 12
2  COMMAND_FAILURE  tool  0.75  a, b
3  -                -     -     error: not JSON
";
        assert_eq!(text, expected);
    }

    #[test]
    fn patterns_are_listed_by_group_and_one_by_one() {
        let reply = json!({"path": "/h/config.json", "groups": [
            {"section": "signal_patterns", "name": "correction", "patterns": ["^no,", "\\bwrong\\b"],
             "built_in": false},
        ]});
        let text = printed(|out| out.reply("coach.patterns", &reply));
        assert_eq!(
            text,
            "/h/config.json\n\nsignal_patterns  correction  own  2\n"
        );
        let text = printed(|out| out.reply("coach.patterns of a group", &reply));
        assert_eq!(text, "^no,\n\\bwrong\\b\n");
    }
}
