//! Lists of conversations, hits of a search, and sums.

use crate::render::line::{cut, width};
use crate::render::short::{age, size};
use crate::render::table::{Cell, Table, fields, printable};
use crate::render::{Colour, Style};
use ccd_protocol::conversation::{
    ConversationListReply, ConversationSearchReply, ConversationStatsReply, ConversationUsage,
    Indexing, StatsBy, StatsGroup, TurnRole,
};
use std::io::{self, Write};
use std::time::SystemTime;

/// Characters of an id that are shown on a terminal.
const SHORT_ID: usize = 8;

/// Columns of the table before the title.
const BEFORE_TITLE: usize = 60;

/// A title is cut to no less.
const MIN_TITLE: usize = 20;

/// Columns of the names of fields.
const NAMES: usize = 14;

/// Columns of the longest bar of a chart.
const BAR: usize = 30;

/// Writes one line per conversation.
pub(crate) fn conversations(
    reply: &ConversationListReply,
    columns: Option<usize>,
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    let now = SystemTime::now();
    let mut table = Table::new([
        "SESSION", "USED", "PROJECT", "TURNS", "ERRORS", "TOKENS", "COST", "TITLE",
    ]);
    let columns = columns.filter(|_| style.is_terminal);
    let room = columns.map_or(usize::MAX, |columns| {
        columns.saturating_sub(BEFORE_TITLE).max(MIN_TITLE)
    });
    for one in &reply.conversations {
        let errors = match one.errors {
            0 => Cell::from("0"),
            errors => Cell::coloured(errors.to_string(), Colour::Bad),
        };
        table.row([
            id(&one.session_id, style).into(),
            age(one.ended_at.as_deref().unwrap_or_default(), now).into(),
            printable(&one.project).into(),
            one.turns.to_string().into(),
            errors,
            short(all(&one.usage.total)).into(),
            cost(one.cost_usd).into(),
            cut(&printable(one.title.as_deref().unwrap_or_default()), room).into(),
        ]);
    }
    table.write(out, style)?;
    let shown = reply.conversations.len() as u64;
    if style.is_terminal && shown < reply.total {
        let note = format!("{shown} of {}; -n N shows more", reply.total);
        writeln!(out, "{}", style.paint(Colour::Dim, &note))?;
    }
    Ok(())
}

/// Writes hits, each with the text around it.
pub(crate) fn conversation_hits(
    reply: &ConversationSearchReply,
    columns: Option<usize>,
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    for hit in &reply.hits {
        let role = match hit.role {
            TurnRole::User => "user",
            TurnRole::Assistant => "assistant",
        };
        let at = hit.at.as_deref().unwrap_or_default();
        let at = at.get(..19).unwrap_or(at).replace('T', " ");
        let tool = hit
            .tool
            .as_deref()
            .map_or_else(String::new, |tool| format!("  {tool}"));
        let agent = if hit.is_sub_agent { "  sub-agent" } else { "" };
        let about = printable(&format!("  {at}  {role}{tool}{agent}  {}", hit.uuid));
        let session = style.paint(Colour::Heading, id(&hit.session_id, style));
        writeln!(out, "{session}{}", style.paint(Colour::Dim, &about))?;
        let snippet = printable(&hit.snippet);
        match columns.filter(|_| style.is_terminal) {
            Some(columns) => writeln!(out, "    {}", cut(&snippet, columns.saturating_sub(4)))?,
            None => writeln!(out, "    {snippet}")?,
        }
    }
    if style.is_terminal && !reply.hits.is_empty() {
        let total = match reply.total {
            10_000.. => "10,000 or more".to_owned(),
            total => total.to_string(),
        };
        let note = format!(
            "{} of {total}; ccctl conversation show SESSION --at ID starts there",
            reply.hits.len()
        );
        writeln!(out, "{}", style.paint(Colour::Dim, &note))?;
    }
    Ok(())
}

/// Returns what is not indexed yet, in one line.
pub(crate) fn what_is_left(left: Indexing) -> String {
    match (left.files_left, left.bytes_left) {
        (0, _) => "transcripts are still being indexed".to_owned(),
        (1, bytes) => format!("1 file ({}) is not indexed yet", size(bytes)),
        (files, bytes) => format!("{files} files ({}) are not indexed yet", size(bytes)),
    }
}

/// Writes sums, and a chart if they are grouped.
pub(crate) fn conversation_stats(
    reply: &ConversationStatsReply,
    by: Option<StatsBy>,
    columns: Option<usize>,
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    let prices = format!(
        "{} (list prices of {})",
        cost(reply.cost_usd),
        reply.prices_as_of
    );
    let errors = format!("{} calls, {} failed", reply.tool_calls, reply.tool_errors);
    fields(
        NAMES,
        &[
            (
                "incomplete",
                reply.indexing.map_or_else(String::new, what_is_left),
            ),
            ("conversations", reply.conversations.to_string()),
            ("messages", reply.messages.to_string()),
            ("tools", errors),
            ("tokens", tokens(&reply.usage.total)),
            ("main", tokens(&reply.usage.main)),
            ("sub-agents", tokens(&reply.usage.subagents)),
            ("cost", prices),
            ("no price for", reply.unpriced_models.join(", ")),
            ("skipped lines", some(reply.skipped_lines)),
        ],
        out,
        style,
    )?;
    if reply.groups.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    groups(
        &reply.groups,
        by == Some(StatsBy::Tool),
        columns,
        out,
        style,
    )
}

fn groups(
    groups: &[StatsGroup],
    is_tools: bool,
    columns: Option<usize>,
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    let value = |group: &StatsGroup| {
        if is_tools {
            group.count
        } else {
            all(&group.usage)
        }
    };
    let most = groups.iter().map(value).max().unwrap_or(0).max(1);
    let room = columns.unwrap_or(100).saturating_sub(BAR + 40).max(16);
    let mut table = match is_tools {
        true => Table::new(["TOOL", "CALLS", "FAILED", "", ""]),
        false => Table::new(["", "TOKENS", "OUTPUT", "COST", ""]),
    };
    for group in groups {
        let key = match group.key.as_str() {
            "" => "(none)",
            key => key,
        };
        let len = (value(group) as f64 / most as f64 * BAR as f64).round() as usize;
        let bar = match style.is_terminal {
            true => "█".repeat(len),
            false => String::new(),
        };
        let key = Cell::from(cut_start(&printable(key), room));
        table.row(match is_tools {
            true => [
                key,
                group.count.to_string().into(),
                group.errors.to_string().into(),
                String::new().into(),
                Cell::coloured(bar, Colour::Good),
            ],
            false => [
                key,
                short(all(&group.usage)).into(),
                short(group.usage.output_tokens).into(),
                cost(group.cost_usd).into(),
                Cell::coloured(bar, Colour::Good),
            ],
        });
    }
    table.write(out, style)
}

/// Cuts a text at its start: the end of a path says most.
fn cut_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let skipped = text
        .chars()
        .count()
        .saturating_sub(columns.saturating_sub(1));
    let end: String = text.chars().skip(skipped).collect();
    format!("…{end}")
}

fn id(id: &str, style: Style) -> &str {
    match style.is_terminal {
        true => id.get(..SHORT_ID).unwrap_or(id),
        false => id,
    }
}

fn some(count: u64) -> String {
    match count {
        0 => String::new(),
        count => count.to_string(),
    }
}

fn all(usage: &ConversationUsage) -> u64 {
    usage.input_tokens
        + usage.output_tokens
        + usage.cache_creation_input_tokens
        + usage.cache_read_input_tokens
}

/// Returns a number with three digits and a unit: `987`, `12.3k`, `4.56M`.
fn short(number: u64) -> String {
    let scaled = |by: f64, unit: &str| {
        let value = number as f64 / by;
        let digits = match value {
            100.0.. => 0,
            10.0.. => 1,
            _ => 2,
        };
        format!("{value:.digits$}{unit}")
    };
    match number {
        0..1000 => number.to_string(),
        1000..1_000_000 => scaled(1e3, "k"),
        1_000_000..1_000_000_000 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

fn cost(cost: Option<f64>) -> String {
    cost.map_or_else(|| "-".to_owned(), |cost| format!("${cost:.2}"))
}

fn tokens(usage: &ConversationUsage) -> String {
    if *usage == ConversationUsage::default() {
        return String::new();
    }
    let parts = &usage.cache_creation;
    let hits = usage.cache_hit_rate().unwrap_or_default() * 100.0;
    format!(
        "{} in, {} out, cache {} written (5 min {}, 1 h {}), {} read ({hits:.1} % of input)",
        short(usage.input_tokens),
        short(usage.output_tokens),
        short(usage.cache_creation_input_tokens),
        short(parts.ephemeral_5m_input_tokens),
        short(parts.ephemeral_1h_input_tokens),
        short(usage.cache_read_input_tokens),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1.00k"),
            (12_345, "12.3k"),
            (456_789, "457k"),
            (1_234_567, "1.23M"),
            (5_000_000_000, "5.00G"),
        ] {
            assert_eq!(short(number), text);
        }
        assert_eq!(cut_start("/a/long/path", 6), "…/path");
        let left = |files_left, bytes_left| {
            what_is_left(Indexing {
                files_left,
                bytes_left,
            })
        };
        assert_eq!(left(1, 12), "1 file (12B) is not indexed yet");
        assert_eq!(left(812, 1_234_567), "812 files (1.2M) are not indexed yet");
    }
}
