//! Data formats: each is distinguished from text that only looks like it, in linear time.

mod csv;
mod ini;
mod json;
mod key_value;
mod table;
mod xml;
mod yaml;

use super::lines::Line;
use ccd_protocol::pattern::TableKind;
use std::ops::Range;

pub(super) use json::Document;

/// A table in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) kind: TableKind,
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) span: Range<usize>,
}

/// The data formats found in a text.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// In the order of the documents, without duplicates.
    pub(super) formats: Vec<&'static str>,
    pub(super) json: Vec<Document>,
    pub(super) tables: Vec<Table>,
    /// Some brackets were not checked, because too many were unmatched.
    pub(super) is_cut: bool,
}

impl Found {
    /// Removes tables that were recognised only by their blanks.
    pub(super) fn forget_aligned(&mut self) {
        self.tables.retain(|table| table.kind != TableKind::Aligned);
        let has_tables = !self.tables.is_empty();
        self.formats
            .retain(|format| *format != "table" || has_tables);
    }
}

/// Searches for data; `wanted` says for each format whether to search for it.
pub(super) fn find(text: &str, lines: &[Line<'_>], wanted: impl Fn(&str) -> bool) -> Found {
    let mut found = Found::default();
    // Text of one format is not searched for the next one.
    let mut taken: Vec<Range<usize>> = Vec::new();
    if wanted("json") {
        (found.json, found.is_cut) = json::documents(text);
        taken.extend(found.json.iter().map(|document| document.span.clone()));
        note(&mut found, "json", !taken.is_empty());
    }
    if wanted("xml") {
        let spans = xml::find(text, &free(lines, &taken));
        note(&mut found, "xml", !spans.is_empty());
        taken.extend(spans);
    }
    type Finder = fn(&[Line<'_>]) -> Vec<Range<usize>>;
    let finders: [(&'static str, Finder); 3] =
        [("yaml", yaml::find), ("ini", ini::find), ("csv", csv::find)];
    for (name, finder) in finders {
        if wanted(name) {
            let spans = finder(&free(lines, &taken));
            note(&mut found, name, !spans.is_empty());
            taken.extend(spans);
        }
    }
    if wanted("table") {
        found.tables = table::find(&free(lines, &taken));
        taken.extend(found.tables.iter().map(|table| table.span.clone()));
        let has_tables = !found.tables.is_empty();
        note(&mut found, "table", has_tables);
    }
    if wanted("key_value") {
        let spans = key_value::find(&free(lines, &taken));
        note(&mut found, "key_value", !spans.is_empty());
    }
    found
}

fn note(found: &mut Found, name: &'static str, is_there: bool) {
    if is_there {
        found.formats.push(name);
    }
}

/// Returns the lines, with those that overlap `taken` replaced by blank ones: they end a run, as other text does.
fn free<'a>(lines: &[Line<'a>], taken: &[Range<usize>]) -> Vec<Line<'a>> {
    let mut taken: Vec<&Range<usize>> = taken.iter().collect();
    taken.sort_by_key(|span| span.start);
    let mut taken = taken.into_iter().peekable();
    let is_free = |line: &Line<'_>| {
        while taken.next_if(|span| span.end <= line.start).is_some() {}
        taken.peek().is_none_or(|span| span.start >= line.end())
    };
    let flags: Vec<bool> = lines.iter().map(is_free).collect();
    let lines = lines.iter().zip(flags);
    lines
        .map(|(line, is_free)| {
            if is_free {
                *line
            } else {
                Line { text: "", ..*line }
            }
        })
        .collect()
}
