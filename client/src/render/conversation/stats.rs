//! Sums over conversations, with bars on a terminal.

use super::numbers::{all, cost_of_sum, cut_start, hits, short, tokens};
use crate::render::line::{bar, width};
use crate::render::short::noted;
use crate::render::{Printer, columns, is_utf8, joined, printable, text};
use ccd_protocol::conversation::{ConversationStatsReply, ConversationUsage, StatsBy, StatsGroup};
use serde_json::{Value, json};
use std::io;

/// Columns of the names of fields.
const NAMES: usize = 15;

/// Columns of a row besides the name and the bar: tokens, output, cost, share, and gaps.
const NUMBERS: usize = 33;

/// What the groups of a [`StatsBy`] are.
const GROUPS: [&str; 6] = ["DAY", "PROJECT", "BRANCH", "SESSION", "MODEL", "TOOL"];

/// Columns of the longest bar, at least and at most.
const BAR: (usize, usize) = (10, 50);

pub(crate) fn conversation_stats(
    reply: &ConversationStatsReply,
    by: Option<StatsBy>,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    out.fields(NAMES, &sums(reply))?;
    if reply.groups.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    groups(&reply.groups, by.unwrap_or(StatsBy::Day), out)
}

fn sums(reply: &ConversationStatsReply) -> [(&'static str, String); 13] {
    let usage = &reply.usage;
    let (calls, failed) = (reply.tool_calls, reply.tool_errors);
    let has_agents = usage.subagents != ConversationUsage::default();
    let part = |usage| {
        if has_agents {
            tokens(usage)
        } else {
            String::new()
        }
    };
    let models = reply.unpriced_models.iter().map(|model| model_name(model));
    let unpriced = match &*joined(", ", models) {
        "" => String::new(),
        names => format!("{names} (not in the cost)"),
    };
    let (cost, date) = (
        cost_of_sum(reply.cost_usd, is_whole(reply)),
        &reply.prices_as_of,
    );
    let indexing = json!({"indexing": reply.indexing});
    let incomplete = text("not indexed", &indexing);
    let no_end = "without the end, which says the tokens";
    let partial = noted(reply.partial_conversations, "stream", no_end);
    [
        ("incomplete", incomplete),
        ("conversations", reply.conversations.to_string()),
        ("messages", reply.messages.to_string()),
        ("tool calls", format!("{calls}, {failed} failed")),
        ("tokens", tokens(&usage.total)),
        ("  main", part(&usage.main)),
        ("  sub-agents", part(&usage.subagents)),
        ("cache writes", writes(&usage.total)),
        ("cache hit rate", hits(&usage.total)),
        ("cost", format!("{cost} at list prices of {date}")),
        ("no price", unpriced),
        ("partial", partial),
        ("skipped", noted(reply.skipped_lines, "line", "not records")),
    ]
}

/// Returns whether the cost is of everything.
pub(super) fn is_whole(reply: &ConversationStatsReply) -> bool {
    reply.unpriced_models.is_empty() && reply.partial_conversations == 0
}

/// Returns tokens written to the cache by lifetime, as far as that is known.
fn writes(usage: &ConversationUsage) -> String {
    let parts = &usage.cache_creation;
    let (short_lived, long_lived) = (
        parts.ephemeral_5m_input_tokens,
        parts.ephemeral_1h_input_tokens,
    );
    match short_lived + long_lived {
        0 => String::new(),
        _ => format!(
            "{} for 5 minutes, {} for 1 hour",
            short(short_lived),
            short(long_lived)
        ),
    }
}

/// Returns what a row of the chart measures: tokens, or calls of a tool.
pub(super) fn value(group: &StatsGroup, by: StatsBy) -> u64 {
    match by {
        StatsBy::Tool => group.count,
        _ => all(&group.usage),
    }
}

pub(super) fn name(group: &StatsGroup, by: StatsBy) -> &str {
    match (group.key.as_str(), by) {
        (model, StatsBy::Model) => model_name(model),
        ("", _) => "(none)",
        (key, _) => key,
    }
}

/// Tokens without a model are those that calls of sub-agents report, of which there are no records.
fn model_name(model: &str) -> &str {
    match model {
        "" => "(sub-agents of unknown model)",
        model => model,
    }
}

fn groups(groups: &[StatsGroup], by: StatsBy, out: &mut Printer<'_>) -> io::Result<()> {
    let values = groups.iter().map(|group| value(group, by));
    let (most, sum) = (values.clone().max().unwrap_or(0), values.sum::<u64>());
    let room = if out.style.is_terminal {
        out.width().saturating_sub(NUMBERS + BAR.0).max(10)
    } else {
        usize::MAX
    };
    let names: Vec<String> = groups
        .iter()
        .map(|group| match by {
            StatsBy::Session => out.id(name(group, by)).to_owned(),
            _ => cut_start(&printable(name(group, by)), room),
        })
        .collect();
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let room = out.width().saturating_sub(longest.max(7) + NUMBERS);
    let row = |(name, group): (String, &StatsGroup)| {
        let value = value(group, by);
        let percent = value as f64 / sum.max(1) as f64 * 100.0;
        let bar = bar(value, most, room.clamp(BAR.0, BAR.1), is_utf8());
        let is_whole = group.unpriced_models.is_empty() && !group.is_partial;
        let more = if group.is_partial { "+" } else { "" };
        json!({
            "name": name, "count": group.count, "errors": group.errors,
            "tokens": short(all(&group.usage)) + more, "output": short(group.usage.output_tokens),
            "cost": cost_of_sum(group.cost_usd, is_whole), "share": format!("{percent:>3.0}% {bar}"),
        })
    };
    let rows: Vec<Value> = names.into_iter().zip(groups).map(row).collect();
    let mut columns = columns(match by {
        StatsBy::Tool => "conversation.stats by tool",
        _ => "conversation.stats",
    });
    columns[0] = columns[0].headed(GROUPS[by as usize]);
    columns.retain(|column| out.style.is_terminal || !column.is_named("SHARE"));
    out.headed_list(&rows, &columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;
    use crate::render::printer::printed_in;

    const LONG: &str = "/srv/a/very/long/path/of/a/project/that/has/no/end";

    fn written(by: StatsBy, columns: usize, is_terminal: bool) -> String {
        let group = |key: &str, output_tokens, count| StatsGroup {
            key: key.to_owned(),
            usage: ConversationUsage {
                output_tokens,
                ..ConversationUsage::default()
            },
            cost_usd: Some(output_tokens as f64 / 1e6),
            count,
            errors: count / 2,
            unpriced_models: match key {
                "" => vec![String::new()],
                _ => Vec::new(),
            },
            is_partial: key == "/srv/idle",
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
            let text = written(StatsBy::Project, columns, true);
            let widths = text.lines().map(width);
            assert!(widths.max().unwrap() <= columns, "{columns}\n{text}");
            assert!(text.starts_with("PROJECT "), "{text}");
            assert!(text.contains("75% ") && text.contains("  0%\n"), "{text}");
        }
    }

    #[test]
    fn between_pipes_there_are_headings_and_numbers_only() {
        let text = written(StatsBy::Project, 80, false);
        assert!(text.starts_with("PROJECT "), "{text}");
        let idle = "/srv/idle                                           0+      0       $0.00+\n";
        assert!(text.ends_with(idle), "{text}");
        let text = written(StatsBy::Tool, 80, false);
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
