//! The pattern library, and the classification of texts.

use super::style::Colour;
use super::table::{Cell, Column, columns};
use super::words::{few, word, yes_or_no};
use super::{Printer, printable};
use ccd_protocol::pattern::{
    CommandFound, PatternClassifyReply, PatternEntry, PatternMatch, PatternOrigin,
};
use std::io::{self, Write};

/// Longest text of a match in a table, in characters.
const MAX_TEXT_CHARS: usize = 60;

const MAX_TABLES: usize = 3;

pub(crate) const LIBRARY: &[Column<PatternEntry>] = &columns! { |entry|
    "TYPE" => entry.pattern_type.name(),
    "CATEGORY" => &entry.category,
    "ORIGIN" => {
        let colour = match entry.origin {
            PatternOrigin::BuiltIn => Colour::Dim,
            PatternOrigin::Override | PatternOrigin::Own => Colour::Good,
        };
        Cell::coloured(word(&entry.origin), colour)
    },
    "PATTERNS" => entry.patterns.len(),
    "DESCRIPTION" => &entry.description,
};

pub(crate) const MATCHES: &[Column<PatternMatch>] = &columns! { |found|
    "LINE" => found.line,
    "BYTES" => format!("{}-{}", found.span.start, found.span.end),
    "TYPE" => found.pattern_type.name(),
    "CATEGORY" => &found.category,
    "TEXT" => {
        let text: String = found.matched.chars().take(MAX_TEXT_CHARS).collect();
        format!("{text:?}")
    },
};

const COMMANDS: &[Column<CommandFound>] = &columns! { |command|
    "NAME" => &command.name,
    "DESCRIPTION" => &command.description,
};

pub(crate) fn patterns(all: &[PatternEntry], out: &mut dyn Write) -> io::Result<()> {
    for pattern in all.iter().flat_map(|entry| &entry.patterns) {
        writeln!(out, "{}", printable(pattern))?;
    }
    Ok(())
}

/// Writes the classification of a text, one field per line, then its matches.
pub(crate) fn classified(found: &PatternClassifyReply, out: &mut Printer<'_>) -> io::Result<()> {
    let tables = found.tables.iter().map(|table| {
        let (columns, rows, kind) = (table.columns, table.rows, word(&table.kind));
        format!("{columns} columns, {rows} rows, {kind}")
    });
    let prompt = found.prompt.as_ref();
    let prompt = prompt.map(|prompt| format!("{:?} ({})", prompt.text, prompt.category));
    let fields = [
        ("error", yes_or_no(found.is_error)),
        ("help", yes_or_no(found.is_help)),
        ("prompt", prompt.unwrap_or_else(|| yes_or_no(false))),
        ("data formats", found.data_formats.join(", ")),
        ("tables", few(MAX_TABLES, "; ", tables)),
        ("state", found.state_transition.clone().unwrap_or_default()),
        ("lines", found.line_count.to_string()),
    ];
    out.fields(16, &fields)?;
    if !found.commands.is_empty() {
        writeln!(out)?;
        out.table(&found.commands, COMMANDS)?;
    } else if !found.matches.is_empty() {
        writeln!(out)?;
        out.table(&found.matches, MATCHES)?;
    }
    Ok(())
}
