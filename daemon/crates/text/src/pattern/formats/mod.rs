//! Data formats: each is distinguished from text that only looks like it, in linear time.

mod csv;
mod ini;
mod json;
mod key_value;
mod table;
mod xml;
mod yaml;

use super::lines::Line;
use ccd_protocol::pattern::{TableFound, TableKind};
use std::ops::Range;

pub(super) use json::Document;

/// The data formats found in a text.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// In the order of the documents, without duplicates.
    pub(super) formats: Vec<&'static str>,
    pub(super) json: Vec<Document>,
    /// Their places are those in the searched text.
    pub(super) tables: Vec<TableFound>,
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
    const FORMATS: [&str; 7] = ["json", "xml", "yaml", "ini", "csv", "table", "key_value"];
    let mut found = Found::default();
    // Text of one format is not searched for the next one.
    let mut taken: Vec<Range<usize>> = Vec::new();
    for format in FORMATS.into_iter().filter(|format| wanted(format)) {
        let lines = free(lines, &taken);
        let spans = match format {
            "json" => {
                (found.json, found.is_cut) = json::documents(text);
                let documents = found.json.iter();
                documents.map(|document| document.span.clone()).collect()
            }
            "xml" => xml::find(text, &lines),
            "yaml" => yaml::find(&lines),
            "ini" => ini::find(&lines),
            "csv" => csv::find(&lines),
            "table" => {
                found.tables = table::find(&lines);
                let spans = found.tables.iter().map(|table| table.span);
                spans.map(|span| span.start..span.end).collect()
            }
            _ => key_value::find(&lines),
        };
        if !spans.is_empty() {
            found.formats.push(format);
        }
        taken.extend(spans);
    }
    found
}

/// Returns the lines, with those that overlap `taken` replaced by blank ones: they end a run, as other text does.
fn free<'a>(lines: &[Line<'a>], taken: &[Range<usize>]) -> Vec<Line<'a>> {
    let mut free = lines.to_vec();
    for span in taken {
        let first = lines.partition_point(|line| line.end() <= span.start);
        let end = lines.partition_point(|line| line.start < span.end);
        for line in &mut free[first..end] {
            line.text = "";
        }
    }
    free
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::*;
    use crate::test_lines;

    type Count = fn(&str, &[Line<'_>]) -> usize;

    #[test]
    fn each_format_is_found_once_and_not_in_text_that_looks_like_it() {
        let formats: [(&str, Count); 7] = [
            ("csv", |_, lines| csv::find(lines).len()),
            ("ini", |_, lines| ini::find(lines).len()),
            ("json", |text, _| json::documents(text).0.len()),
            ("key_value", |_, lines| key_value::find(lines).len()),
            ("table", |_, lines| table::find(lines).len()),
            ("xml", |text, lines| xml::find(text, lines).len()),
            ("yaml", |_, lines| yaml::find(lines).len()),
        ];
        for (format, count) in formats {
            for (list, expected) in [(format, 1), (&format!("no_{format}"), 0)] {
                for text in test_lines::lines(list) {
                    assert_eq!(count(&text, &lines(&text)), expected, "{format} {text:?}");
                }
            }
        }
    }
}
