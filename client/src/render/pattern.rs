//! The pattern library, and the classification of texts.

use super::style::Colour;
use super::table::{Cell, Table};
use super::words::yes_or_no;
use super::{Printer, printable};
use ccd_protocol::pattern::{
    PatternClassifyReply, PatternEntry, PatternMatch, PatternOrigin, TableKind,
};
use std::io::{self, Write};

/// Longest text of a match in a table, in characters.
const MAX_TEXT_CHARS: usize = 60;

const MAX_TABLES: usize = 3;

pub(crate) fn library(all: &[PatternEntry], out: &mut Printer<'_>) -> io::Result<()> {
    let mut table = Table::new(["TYPE", "CATEGORY", "ORIGIN", "PATTERNS", "DESCRIPTION"]);
    for entry in all {
        let (origin, colour) = match entry.origin {
            PatternOrigin::BuiltIn => ("built_in", Colour::Dim),
            PatternOrigin::Override => ("override", Colour::Good),
            PatternOrigin::Own => ("own", Colour::Good),
        };
        table.row([
            entry.pattern_type.name().into(),
            entry.category.as_str().into(),
            Cell::coloured(origin, colour),
            entry.patterns.len().to_string().into(),
            entry.description.as_str().into(),
        ]);
    }
    table.write(out)
}

pub(crate) fn patterns(all: &[PatternEntry], out: &mut dyn Write) -> io::Result<()> {
    for pattern in all.iter().flat_map(|entry| &entry.patterns) {
        writeln!(out, "{}", printable(pattern))?;
    }
    Ok(())
}

pub(crate) fn matches(all: &[PatternMatch], out: &mut Printer<'_>) -> io::Result<()> {
    let mut table = Table::new(["LINE", "BYTES", "TYPE", "CATEGORY", "TEXT"]);
    for found in all {
        let text: String = found.matched.chars().take(MAX_TEXT_CHARS).collect();
        table.row([
            found.line.to_string().into(),
            format!("{}-{}", found.span.start, found.span.end).into(),
            found.pattern_type.name().into(),
            found.category.as_str().into(),
            format!("{text:?}").into(),
        ]);
    }
    table.write(out)
}

/// The first items, and the number of further ones.
fn few(all: impl ExactSizeIterator<Item = String>) -> String {
    let len = all.len();
    let mut text = all.take(MAX_TABLES).collect::<Vec<_>>().join("; ");
    if len > MAX_TABLES {
        text.push_str(&format!("; and {} more", len - MAX_TABLES));
    }
    text
}

/// Writes the classification of a text, one field per line, then its matches.
pub(crate) fn classified(found: &PatternClassifyReply, out: &mut Printer<'_>) -> io::Result<()> {
    let tables = found.tables.iter().map(|table| {
        let kind = match table.kind {
            TableKind::Ruled => "ruled",
            TableKind::Aligned => "aligned",
        };
        format!("{} columns, {} rows, {kind}", table.columns, table.rows)
    });
    let prompt = found.prompt.as_ref();
    let prompt = prompt.map(|prompt| format!("{:?} ({})", prompt.text, prompt.category));
    let fields = [
        ("error", yes_or_no(found.is_error)),
        ("help", yes_or_no(found.is_help)),
        ("prompt", prompt.unwrap_or_else(|| yes_or_no(false))),
        ("data formats", found.data_formats.join(", ")),
        ("tables", few(tables)),
        ("state", found.state_transition.clone().unwrap_or_default()),
        ("lines", found.line_count.to_string()),
    ];
    out.fields(16, &fields)?;
    if !found.commands.is_empty() {
        writeln!(out)?;
        let mut table = Table::new(["NAME", "DESCRIPTION"]);
        for command in &found.commands {
            table.row([&command.name, &command.description].map(|text| text.as_str().into()));
        }
        table.write(out)?;
    } else if !found.matches.is_empty() {
        writeln!(out)?;
        matches(&found.matches, out)?;
    }
    Ok(())
}
