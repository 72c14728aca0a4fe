//! A run as a page.

use super::files::{files, total};
use crate::fields::Fields as _;
use crate::render::{Colour, Printer, readable};
use crate::typed::typed;
use ccd_protocol::exec::DiffInfo;
use serde_json::{Value, json};
use std::io;

/// Last lines of the error output that are shown of a run that did not succeed.
const MAX_ERROR_LINES: usize = 20;

/// Writes a run: what was asked for, the verdict, what changed, and the answer; `failure` is why it did not succeed.
pub(crate) fn execution(
    result: &Value,
    failure: Option<&str>,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    let mut page = result.clone();
    page["failure"] = failure.into();
    page["input_tokens"] = input_tokens(result).into();
    out.reply("exec.get", &page)?;
    let changed: Vec<DiffInfo> = typed(result.at("diff_info")).unwrap_or_default();
    let total = total(&changed);
    if !total.is_empty() {
        writeln!(out, "\n{}", out.paint(Colour::Heading, "changes"))?;
        files(&changed, usize::MAX, out)?;
        writeln!(out, "  {total}")?;
    }
    let lines: Vec<&str> = result.text("stderr").lines().collect();
    let last = lines[lines.len().saturating_sub(MAX_ERROR_LINES)..].join("\n");
    let mut texts = vec![
        ("instruction", result.text("instruction").to_owned()),
        ("answer", answer(result)),
        ("error output", failure.map_or_else(String::new, |_| last)),
    ];
    texts.retain(|(_, text)| !text.trim().is_empty());
    let texts = texts
        .iter()
        .map(|(name, text)| json!({"name": name, "text": indented(text)}));
    page["texts"] = texts.collect();
    out.reply("exec.get below", &page)
}

/// Nothing if no token was used at all.
fn input_tokens(result: &Value) -> Option<u64> {
    let names = ["input_tokens", "cache_read_tokens", "cache_creation_tokens"];
    let input = names.map(|name| result["usage"].number(name)).iter().sum();
    (input + result.number("usage.output_tokens") > 0).then_some(input)
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

fn indented(text: &str) -> String {
    let text = readable(text);
    let lines = text.trim_end().split('\n');
    let lines: Vec<String> = lines
        .map(|line| format!("  {line}").trim_end().to_owned())
        .collect();
    lines.join("\n")
}
