//! Sums over conversations, with bars on a terminal.

use crate::fields::Fields as _;
use crate::render::line::{bar, cut_start, width};
use crate::render::short::{all_of, model_name};
use crate::render::{Printer, columns, is_utf8, printable};
use serde_json::Value;
use std::io;

/// Columns of a row besides the name and the bar: tokens, output, cost, share, and gaps.
const NUMBERS: usize = 33;

/// What the groups are, and the words for that.
const GROUPS: [&str; 6] = ["DAY", "PROJECT", "BRANCH", "SESSION", "MODEL", "TOOL"];

/// Columns of the longest bar, at least and at most.
const BAR: (usize, usize) = (10, 50);

pub(crate) fn conversation_stats(reply: &Value, by: &str, out: &mut Printer<'_>) -> io::Result<()> {
    out.reply("conversation sums", reply)?;
    if !reply.has("groups") {
        return Ok(());
    }
    writeln!(out)?;
    groups(reply.list("groups"), by, out)
}

/// Returns what a row of the chart measures: tokens, or calls of a tool.
pub(super) fn value(group: &Value, by: &str) -> u64 {
    match by {
        "tool" => group.number("count"),
        _ => all_of(&group["usage"]),
    }
}

pub(super) fn name<'a>(group: &'a Value, by: &str) -> &'a str {
    match (group.text("key"), by) {
        (model, "model") => model_name(model),
        ("", _) => "(none)",
        (key, _) => key,
    }
}

fn groups(groups: &[Value], by: &str, out: &mut Printer<'_>) -> io::Result<()> {
    let values = groups.iter().map(|group| value(group, by));
    let (most, sum) = (values.clone().max().unwrap_or(0), values.sum::<u64>());
    let room = if out.style.is_terminal {
        out.width().saturating_sub(NUMBERS + BAR.0).max(10)
    } else {
        usize::MAX
    };
    let shown = |group: &Value| match by {
        "session" => out.id(name(group, by)).to_owned(),
        _ => cut_start(&printable(name(group, by)), room),
    };
    let names: Vec<String> = groups.iter().map(shown).collect();
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let room = out.width().saturating_sub(longest.max(7) + NUMBERS);
    let row = |(name, group): (String, &Value)| {
        let value = value(group, by);
        let percent = value as f64 / sum.max(1) as f64 * 100.0;
        let bar = bar(value, most, room.clamp(BAR.0, BAR.1), is_utf8());
        let mut row = group.clone();
        row["name"] = name.into();
        row["share"] = format!("{percent:>3.0}% {bar}").into();
        row
    };
    let rows: Vec<Value> = names.into_iter().zip(groups).map(row).collect();
    let mut columns = columns(match by {
        "tool" => "conversation.stats by tool",
        _ => "conversation.stats",
    });
    let heading = GROUPS.iter().find(|one| one.eq_ignore_ascii_case(by));
    columns[0] = columns[0].headed(heading.unwrap_or(&GROUPS[0]));
    columns.retain(|column| out.style.is_terminal || !column.is_named("SHARE"));
    out.headed_list(&rows, &columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;
    use crate::render::printer::printed_in;
    use serde_json::json;

    const LONG: &str = "/srv/a/very/long/path/of/a/project/that/has/no/end";

    fn written(by: &str, columns: usize, is_terminal: bool) -> String {
        let group = |key: &str, tokens: u64, count: u64| {
            let unpriced = if key.is_empty() {
                json!([""])
            } else {
                json!([])
            };
            json!({
                "key": key, "usage": {"output_tokens": tokens}, "cost_usd": tokens as f64 / 1e6, "count": count,
                "errors": count / 2, "unpriced_models": unpriced, "is_partial": key == "/srv/idle",
            })
        };
        let groups = [
            group(LONG, 3_000_000, 3),
            group("", 1_000_000, 1),
            group("/srv/idle", 0, 0),
        ];
        let style = Style {
            is_terminal,
            has_colour: false,
        };
        printed_in(style, Some(columns), |out| super::groups(&groups, by, out))
    }

    #[test]
    fn a_chart_fits_into_the_terminal() {
        for columns in [80, 81, 100, 200] {
            let text = written("project", columns, true);
            let widths = text.lines().map(width);
            assert!(widths.max().unwrap() <= columns, "{columns}\n{text}");
            assert!(text.starts_with("PROJECT "), "{text}");
            assert!(text.contains("75% ") && text.contains("  0%\n"), "{text}");
        }
    }

    #[test]
    fn between_pipes_there_are_headings_and_numbers_only() {
        let text = written("project", 80, false);
        assert!(text.starts_with("PROJECT "), "{text}");
        let idle = "/srv/idle                                           0+      0       $0.00+\n";
        assert!(text.ends_with(idle), "{text}");
        let text = written("tool", 80, false);
        let none = "(none)                                              1      0\n";
        assert!(text.contains(none), "{text}");
    }

    #[test]
    fn bars_are_exact_to_an_eighth_and_never_vanish() {
        assert_eq!(bar(8, 8, 3, true), "███");
        assert_eq!(bar(4, 8, 3, true), "█▌");
        assert_eq!(bar(1, 1_000_000, 3, true), "▏");
        assert_eq!(bar(1, 1_000_000, 3, false), "#");
        assert_eq!(bar(0, 0, 3, true), "");
    }
}
