//! Runs of Claude Code: what their pages show besides the record.

use super::line::{Line, cut, width};
use super::style::Colour;
use super::template::text;
use super::{Printer, counted, joined, printable};
use crate::fields::Fields as _;
use serde_json::Value;
use std::io;

/// Columns after a path: the counts of lines.
const COUNT_COLUMNS: usize = 16;

/// A path is cut to no less.
const MIN_PATH: usize = 20;

/// Columns of a denied call among others in one line.
const CALL: usize = 80;

/// Last lines of the error output that are shown of a run that did not succeed.
const MAX_ERROR_LINES: usize = 20;

/// Returns the record of a run with what its pages say of it; `failure` is why it did not succeed.
pub(crate) fn execution(result: &Value, failure: Option<&str>) -> Value {
    let mut page = result.clone();
    page["failure"] = failure.into();
    let names = ["input_tokens", "cache_read_tokens", "cache_creation_tokens"];
    let input: u64 = names.iter().map(|name| result["usage"].number(name)).sum();
    let has_used = input + result.number("usage.output_tokens") > 0;
    page["input_tokens"] = has_used.then_some(input).into();
    page["total"] = total(result.list("diff_info")).into();
    let denied = result.list("policy_violations").iter();
    page["denied"] = denied
        .map(|call| Value::from(cut(&text("denied call", call), CALL)))
        .collect();
    page["answer"] = answer(result).into();
    let lines: Vec<&str> = result.text("stderr").lines().collect();
    let last = joined("\n", &lines[lines.len().saturating_sub(MAX_ERROR_LINES)..]);
    page["error_output"] = failure.map(|_| last).into();
    page
}

/// The number of files and of lines: `3 files, +12 -4`; empty without files.
fn total(files: &[Value]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let sum = |name: &str| files.iter().map(|file| file.number(name)).sum::<u64>();
    let count = counted(files.len() as u64, "file");
    format!("{count}, +{} -{}", sum("additions"), sum("deletions"))
}

fn answer(result: &Value) -> String {
    if result.text("output_format") == "text" {
        return result.text("stdout").to_owned();
    }
    let records = result.text("stdout").split('\n').rev();
    let mut records = records.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let last = records.find(|record| record["type"] == "result");
    last.unwrap_or_default().text("result").to_owned()
}

/// Writes a line for each changed file.
pub(super) fn files(all: &[Value], most: usize, out: &mut Printer<'_>) -> io::Result<()> {
    let room = out.width().saturating_sub(COUNT_COLUMNS).max(MIN_PATH);
    let path = |file: &Value| {
        let path = printable(file.text("file_path"));
        match file.text("old_path") {
            "" => cut(&path, room),
            old => cut(&format!("{} → {path}", printable(old)), room),
        }
    };
    let paths: Vec<String> = all.iter().take(most).map(path).collect();
    let wide = paths.iter().map(|path| width(path)).max().unwrap_or(0);
    for (file, path) in all.iter().zip(&paths) {
        let (letter, colour) = match file.text("status") {
            "added" => ('A', Colour::Good),
            "deleted" => ('D', Colour::Bad),
            "renamed" => ('R', Colour::Notice),
            _ => ('M', Colour::Notice),
        };
        let mut line = Line::of(format!("  {letter} "), Some(colour));
        line.push(format!("{path}{:1$}", "", wide - width(path)), None);
        for (sign, name, colour) in [
            ('+', "additions", Colour::Good),
            ('-', "deletions", Colour::Bad),
        ] {
            let count = file.number(name);
            if count > 0 {
                line.push(format!(" {sign}{count}"), Some(colour));
            }
        }
        writeln!(out, "{}", line.painted(out.style).trim_end())?;
    }
    match all.len().saturating_sub(most) as u64 {
        0 => Ok(()),
        more => writeln!(out, "  … and {}", counted(more, "more file")),
    }
}
