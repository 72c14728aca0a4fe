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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;
    use serde_json::json;

    #[test]
    fn parts_with_something_have_a_paragraph_and_the_others_a_name() {
        let part = |part: &str, items: u64| {
            json!({"part": part, "items": items, "what": format!("{items} ended sessions"), "places": ["/base/sessions"],
                "since": "2026-11-03T10:00:00.000Z", "bytes": 5000, "kept": "7 days", "off": "a key"})
        };
        let reply = json!({"parts": [part("sessions", 2), part("runs", 0)]});
        let expected = "sessions       4.9K  2 ended sessions since 2026-11-03; kept 7 days\n\
            \x20             /base/sessions\n\
            \x20             off: a key\n\
            nothing found: runs\n";
        assert_eq!(printed(|out| data_kept(&reply, out)), expected);
    }

    #[test]
    fn what_stays_follows_what_is_deleted() {
        let part = json!({"part": "sessions", "items": 1, "what": "1 session", "left": ["2 live sessions: why"]});
        let reply = json!({"parts": [part]});
        let expected = "sessions      would delete 1 session\n\
            sessions      would stay: 2 live sessions: why\n";
        assert_eq!(printed(|out| data_selected(&reply, false, out)), expected);
        let text = printed(|out| data_selected(&json!({"parts": []}), true, out));
        assert_eq!(text, "nothing to delete\n");
    }
}
