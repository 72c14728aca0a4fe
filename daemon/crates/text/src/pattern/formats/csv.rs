//! CSV: lines with the same number of fields that are not prose.

use super::super::lines::{Line, span_of};
use super::table::is_option;
use std::ops::Range;

const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// Maximum length of a field of the first line, which contains the names of the columns or is a record like the others.
const MAX_NAME_BYTES: usize = 64;

/// Maximum number of lines of one record: quoted fields may have several.
const MAX_RECORD_LINES: usize = 20;

/// One record, on one line or several.
struct Record {
    /// Including their quotes.
    fields: Vec<String>,
    lines: usize,
}

/// Returns runs of lines that are records.
pub(super) fn find(lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let longest = SEPARATORS
            .into_iter()
            .map(|separator| (run(&lines[at..], separator), separator))
            .max_by_key(|(run, _)| run.len());
        match longest {
            Some((run, separator)) if run.len() >= 2 => {
                let len = run.iter().map(|record| record.lines).sum::<usize>();
                let of_run = &lines[at..at + len];
                if is_csv(&run, of_run, separator) {
                    spans.push(span_of(of_run));
                }
                at += len;
            }
            _ => at += 1,
        }
    }
    spans
}

/// Returns the records from the first line on that have the same number of fields.
fn run(lines: &[Line<'_>], separator: char) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    let mut rest = lines;
    while let Some(record) = record(rest, separator) {
        let first = records.first().unwrap_or(&record);
        if first.fields.len() != record.fields.len() {
            break;
        }
        rest = &rest[record.lines..];
        records.push(record);
    }
    records
}

/// Parses the record at the start of the lines; `None` if it has fewer than two fields, or a quote is not closed.
fn record(lines: &[Line<'_>], separator: char) -> Option<Record> {
    let mut text = String::new();
    for (index, line) in lines.iter().take(MAX_RECORD_LINES).enumerate() {
        text.push_str(line.text);
        let mut is_quoted = false;
        let parts = text.split(|c: char| {
            is_quoted ^= c == '"';
            c == separator && !is_quoted
        });
        let fields: Vec<String> = parts.map(str::to_owned).collect();
        if !is_quoted || fields.len() < 2 {
            let lines = index + 1;
            return (fields.len() >= 2).then_some(Record { fields, lines });
        }
        text.push('\n');
    }
    None
}

fn is_csv(run: &[Record], lines: &[Line<'_>], separator: char) -> bool {
    let Some(first) = run.first() else {
        return false;
    };
    let names: Vec<&str> = first.fields.iter().map(|name| name.trim()).collect();
    let is_name =
        |name: &&str| (1..=MAX_NAME_BYTES).contains(&name.len()) && !name.contains(['{', '}', '(']);
    // A list that continues on the next line: `a, b,`.
    let goes_on = lines.iter().all(|line| line.text.ends_with(separator));
    if !names.iter().all(is_name) || goes_on {
        return false;
    }
    if separator == '\t' {
        // Tabs are also used for indentation, and between an option and its description.
        let is_other = |line: &Line<'_>| line.text.starts_with([' ', '\t']) || is_option(line.text);
        return !lines.iter().any(is_other) && (names.len() >= 3 || run.len() >= 3);
    }
    let is_code =
        |line: &Line<'_>| line.text.ends_with(['{', '}', '(']) || line.text.ends_with(");");
    if lines.iter().any(is_code) {
        return false;
    }
    // In a sentence, a comma is followed by a blank; between fields there is none, or there are few words.
    let mut behind = run.iter().flat_map(|record| record.fields.iter().skip(1));
    let is_spaced = behind.any(|field| field.starts_with(' '));
    let is_terse = || {
        let mut all = run.iter().flat_map(|record| &record.fields);
        all.all(|field| field.split_whitespace().count() <= 4 && !field.trim_end().ends_with('.'))
    };
    match (names.len(), is_spaced) {
        (2, true) => false,
        (2, false) => {
            (run.len() >= 3 && !are_thousands(lines, separator)) || are_named(&names, separator)
        }
        (_, true) => run.len() >= 3 && is_terse(),
        (_, false) => true,
    }
}

/// `name,age`: two names without a blank after the comma, which do not occur in a sentence.
fn are_named(names: &[&str], separator: char) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_ -".contains(c);
    let is_name = |name: &&str| {
        let name = name.trim_matches('"');
        name.len() >= 2 && name.starts_with(char::is_alphabetic) && name.chars().all(is_part)
    };
    separator == ',' && names.iter().all(is_name)
}

/// `1,234 files`: the comma is part of a number.
fn are_thousands(lines: &[Line<'_>], separator: char) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let is_thousand = |line: &Line<'_>| {
        let parts = line.text.split_once(separator);
        parts.is_some_and(|(a, b)| a.ends_with(is_digit) && b.starts_with(is_digit))
    };
    separator == ',' && lines.iter().all(is_thousand)
}
