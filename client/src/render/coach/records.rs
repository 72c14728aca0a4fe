//! Events, signals, patterns and the detector's quality, as tables.

use super::status::muted;
use crate::render::style::Colour;
use crate::render::table::{Cell, Column, columns};
use crate::render::words::joined;
use crate::render::{Printer, printable};
use ccd_base::shell;
use ccd_protocol::coach::{CoachEvent, CoachPatternsReply, Detected, Mute, PatternGroup, Signal};
use serde_json::Value;
use std::io::{self, Write};

/// The text of an event is truncated to no less.
const MIN_CONTENT: usize = 20;

pub(crate) const EVENTS: &[Column<CoachEvent>] = &columns! { |event|
    "EVENT" => &event.id,
    "TIME" => &event.timestamp,
    "TYPE" => event.signal_type.name(),
    "STATE" => if event.processed { Cell::coloured("processed", Colour::Dim) } else { Cell::coloured("waiting", Colour::Notice) },
    "TEXT" (MIN_CONTENT, 0) => {
        // The text of a failure is what the program printed; the command says more.
        let command = event.context.get("command").and_then(Value::as_str);
        command.unwrap_or(&event.content)
    },
    "" => Cell::coloured(command_to_show(event).unwrap_or_default(), Colour::Dim),
};

/// Returns the command that shows the turn of an event, if Claude Code reported it.
fn command_to_show(event: &CoachEvent) -> Option<String> {
    let session = event.session_id.as_ref()?;
    let at = event.tool_use_id.as_ref().or(event.prompt_id.as_ref())?;
    let words = ["ccctl", "conversation", "show", session, "--at", at].map(str::to_owned);
    Some(printable(&shell::line(&words)))
}

/// Writes one line per signal, after the number of its payload, counted from 1.
pub(crate) fn detected(all: &[Detected], out: &mut Printer<'_>) -> io::Result<()> {
    let mut rows: Vec<(u64, Result<&Signal, &str>)> = Vec::new();
    for (number, payload) in (1..).zip(all) {
        rows.extend(payload.error.iter().map(|error| (number, Err(&**error))));
        rows.extend(payload.signals.iter().map(|signal| (number, Ok(signal))));
    }
    let columns = columns! { |(number, one): (u64, Result<&Signal, &str>)|
        "PAYLOAD" => number,
        "TYPE" => one.map_or("", |one| one.signal_type.name()),
        "EVENT" => one.map_or("", |one| one.event_type.name()),
        "CONF" => one.map_or(String::new(), |one| format!("{:.2}", one.confidence)),
        "MATCHES" => match one {
            Ok(signal) => joined(", ", signal.matches.iter().map(in_words)).into(),
            Err(error) => Cell::coloured(format!("error: {error}"), Colour::Bad),
        },
    };
    out.table(&rows, &columns)
}

/// A pattern, or the text that a pattern of version issues has found.
fn in_words(found: &Value) -> String {
    let text = found.as_str().or_else(|| found.get("text")?.as_str());
    text.map_or_else(|| found.to_string(), str::to_owned)
}

const GROUPS: &[Column<PatternGroup>] = &columns! { |group|
    "SECTION" => &group.section,
    "GROUP" => &group.name,
    "ORIGIN" => if group.built_in { Cell::coloured("built_in", Colour::Dim) } else { Cell::coloured("own", Colour::Good) },
    "PATTERNS" => group.patterns.len(),
};

pub(crate) fn pattern_groups(reply: &CoachPatternsReply, out: &mut Printer<'_>) -> io::Result<()> {
    writeln!(out, "{}\n", printable(&reply.path))?;
    out.table(&reply.groups, GROUPS)
}

pub(crate) fn pattern_texts(groups: &[&PatternGroup], out: &mut dyn Write) -> io::Result<()> {
    let mut patterns = groups.iter().flat_map(|group| &group.patterns);
    patterns.try_for_each(|pattern| writeln!(out, "{}", printable(pattern)))
}

/// Writes one line for each rule about what is not recorded.
pub(crate) fn mutes(all: &[Mute], out: &mut dyn Write) -> io::Result<()> {
    if all.is_empty() {
        return writeln!(out, "nothing is muted");
    }
    all.iter()
        .try_for_each(|mute| writeln!(out, "{}", printable(&muted(mute))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;
    use serde::de::DeserializeOwned;
    use serde_json::json;

    fn of<T: DeserializeOwned>(value: Value) -> T {
        serde_json::from_value(value).unwrap()
    }

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
        let text = printed(|out| out.table(&[of(failed), of(of_claude_code)], EVENTS));
        let start = "a1b2c3d4  2026-01-31T12:00:00.000Z  COMMAND_FAILURE  waiting  ";
        let below = "    ccctl conversation show s1 --at toolu_1\n";
        assert_eq!(
            text,
            format!("{start}npm ci\\u{{1b}}[2J\n{start}no,\\nuse pnpm\n{below}")
        );
    }

    #[test]
    fn signals_are_numbered_by_their_payload() {
        let all: Vec<Detected> = of(json!([
            {"signals": []},
            {"signals": [
                {"signal_type": "VERSION_ISSUE", "event_type": "tool", "confidence": 0.8,
                 "matches": [{"pattern": "p", "text": "node 12"}]},
                {"signal_type": "COMMAND_FAILURE", "event_type": "tool", "confidence": 0.75,
                 "matches": ["a", "b"], "exit_code": 1},
            ]},
            {"signals": [], "error": "not JSON"},
        ]));
        let text = printed(|out| detected(&all, out));
        let expected = "\
2  VERSION_ISSUE    tool  0.80  node 12
2  COMMAND_FAILURE  tool  0.75  a, b
3  -                -     -     error: not JSON
";
        assert_eq!(text, expected);
    }

    #[test]
    fn patterns_are_listed_by_group_and_one_by_one() {
        let reply: CoachPatternsReply = of(json!({"path": "/h/config.json", "groups": [
            {"section": "signal_patterns", "name": "correction", "patterns": ["^no,", "\\bwrong\\b"],
             "built_in": false},
        ]}));
        let text = printed(|out| pattern_groups(&reply, out));
        assert_eq!(
            text,
            "/h/config.json\n\nsignal_patterns  correction  own  2\n"
        );
        let groups: Vec<_> = reply.groups.iter().collect();
        let text = printed(|out| pattern_texts(&groups, out));
        assert_eq!(text, "^no,\n\\bwrong\\b\n");
    }
}
