//! Events, signals, patterns and the detector's quality, as tables.

use super::status::muted;
use crate::render::line::cut;
use crate::render::style::Colour;
use crate::render::table::{Cell, Table};
use ccd_base::shell;

use crate::render::{Printer, printable};
use ccd_protocol::coach::{CoachEvent, CoachPatternsReply, Detected, Mute, PatternGroup};
use serde_json::Value;
use std::io::{self, Write};

/// Columns of the table of events before the text.
const BEFORE_CONTENT: usize = 70;

/// The text of an event is truncated to no less.
const MIN_CONTENT: usize = 20;

/// Writes one line per event, fitted to a terminal, with the command that shows its turn below it.
pub(crate) fn events(all: &[CoachEvent], out: &mut Printer<'_>) -> io::Result<()> {
    let mut table = Table::new(["EVENT", "TIME", "TYPE", "STATE", "TEXT"]);
    let room = out.room_after(BEFORE_CONTENT, MIN_CONTENT);
    for event in all {
        let state = if event.processed {
            Cell::coloured("processed", Colour::Dim)
        } else {
            Cell::coloured("waiting", Colour::Notice)
        };
        // The text of a failure is what the program printed; the command says more.
        let command = event.context.get("command").and_then(Value::as_str);
        let text = command.unwrap_or(&event.content);
        let cells = vec![
            event.id.as_str().into(),
            event.timestamp.as_str().into(),
            event.signal_type.name().into(),
            state,
            cut(&printable(text), room).into(),
        ];
        let command = command_to_show(event);
        let below = command.map(|line| format!("    {}", out.paint(Colour::Dim, &line)));
        table.row_above(cells, below);
    }
    table.write(out)
}

/// Returns the command that shows the turn of an event, if Claude Code reported it.
fn command_to_show(event: &CoachEvent) -> Option<String> {
    let session = event.session_id.as_ref()?;
    let at = event.tool_use_id.as_ref().or(event.prompt_id.as_ref())?;
    let words = ["ccctl", "conversation", "show", session, "--at", at].map(str::to_owned);
    Some(printable(&shell::line(&words)))
}

/// Writes one line per signal, after the number of its payload, counted from 1.
pub(crate) fn detected(all: &[Detected], out: &mut Printer<'_>) -> io::Result<()> {
    let mut table = Table::new(["PAYLOAD", "TYPE", "EVENT", "CONF", "MATCHES"]);
    for (payload, number) in all.iter().zip(1_u64..) {
        let number = || Cell::from(number.to_string());
        if let Some(error) = &payload.error {
            let error = Cell::coloured(format!("error: {}", printable(error)), Colour::Bad);
            table.row([number(), "".into(), "".into(), "".into(), error]);
        }
        for signal in &payload.signals {
            let matches: Vec<String> = signal.matches.iter().map(in_words).collect();
            table.row([
                number(),
                signal.signal_type.name().into(),
                signal.event_type.name().into(),
                format!("{:.2}", signal.confidence).into(),
                matches.join(", ").into(),
            ]);
        }
    }
    table.write(out)
}

/// A pattern, or the text that a pattern of version issues has found.
fn in_words(found: &Value) -> String {
    let text = found.as_str().or_else(|| found.get("text")?.as_str());
    text.map_or_else(|| found.to_string(), str::to_owned)
}

pub(crate) fn pattern_groups(reply: &CoachPatternsReply, out: &mut Printer<'_>) -> io::Result<()> {
    writeln!(out, "{}\n", printable(&reply.path))?;
    let mut table = Table::new(["SECTION", "GROUP", "ORIGIN", "PATTERNS"]);
    for group in &reply.groups {
        let origin = if group.built_in {
            Cell::coloured("built_in", Colour::Dim)
        } else {
            Cell::coloured("own", Colour::Good)
        };
        table.row([
            group.section.as_str().into(),
            group.name.as_str().into(),
            origin,
            group.patterns.len().to_string().into(),
        ]);
    }
    table.write(out)
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
        let text = printed(|out| events(&[of(failed), of(of_claude_code)], out));
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
