//! What is kept about the user.

use super::style::Colour;
use super::{Printer, joined, printable, size};
use crate::fields::Fields as _;
use serde_json::Value;
use std::io;

const NAME: usize = 14;

/// Writes a paragraph for each part that has something, and one line for the others.
pub(crate) fn data_kept(reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let is_kept = |part: &&Value| ["items", "left", "failed"].iter().any(|of| part.has(of));
    let (kept, empty): (Vec<&Value>, Vec<&Value>) = reply.list("parts").iter().partition(is_kept);
    for part in kept {
        let texts = |name| {
            part.list(name)
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
        };
        let since = part.text("since").get(..10).filter(|_| part.has("since"));
        let since = since.map(|day| format!(" since {day}")).unwrap_or_default();
        let own = part
            .has("items")
            .then(|| format!("{}{since}", part.text("what")));
        let failed = texts("failed").map(|failed| format!("failed: {failed}"));
        // What cannot be deleted now is kept, too.
        let mut lines = own.into_iter().chain(texts("left")).chain(failed);
        let name = out.paint(Colour::Heading, &format!("{:NAME$}", part.text("part")));
        let (size, first) = (size(part.number("bytes")), lines.next().unwrap_or_default());
        let first = printable(&format!("{first}; kept {}", part.text("kept")));
        writeln!(out, "{name}{size:>5}  {first}")?;
        let others = lines
            .map(|line| format!("and {line}"))
            .chain(texts("places"));
        for line in others.chain([format!("off: {}", part.text("off"))]) {
            writeln!(out, "{:NAME$}{}", "", printable(&line))?;
        }
    }
    if empty.is_empty() {
        return Ok(());
    }
    let names = joined(", ", empty.iter().map(|part| part.text("part")));
    writeln!(out, "nothing found: {names}")
}

pub(crate) fn data_selected(reply: &Value, is_done: bool, out: &mut Printer<'_>) -> io::Result<()> {
    let (deleted, stays) = if is_done {
        ("deleted ", "stays: ")
    } else {
        ("would delete ", "would stay: ")
    };
    let parts = reply.list("parts");
    if parts.iter().all(|part| !part.has("items")) {
        writeln!(out, "nothing to delete")?;
    }
    let mut line = |part: &Value, what: &str, text: &str| {
        writeln!(out, "{:NAME$}{what}{}", part.text("part"), printable(text))
    };
    for part in parts.iter().filter(|part| part.has("items")) {
        line(part, deleted, part.text("what"))?;
    }
    for part in parts {
        for (what, texts) in [(stays, "left"), ("failed: ", "failed")] {
            let mut texts = part.list(texts).iter().filter_map(Value::as_str);
            texts.try_for_each(|text| line(part, what, text))?;
        }
    }
    Ok(())
}
