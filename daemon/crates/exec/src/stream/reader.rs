//! The reader that is fed with what Claude Code prints.

use super::facts::Facts;
use super::fold;
use super::lines::{Line, Lines};
use ccd_base::surrogate::mended_text;
use serde_json::Value;

/// Maximum length of a line that is read; a longer one is counted and otherwise ignored.
pub const MAX_LINE_BYTES: usize = 32 * 1024 * 1024;

/// Reads the stream of one run, in chunks of any size.
#[derive(Debug)]
pub struct Reader {
    lines: Lines,
    facts: Facts,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            lines: Lines::new(MAX_LINE_BYTES),
            facts: Facts::default(),
        }
    }
}

impl Reader {
    pub fn feed(&mut self, bytes: &[u8]) {
        self.feed_each(bytes, |_, _| ());
    }

    /// Takes the next bytes; `each` gets the lines that end in them, without their ends, and whether a line is JSON. Bytes
    /// and halves of characters that a parser of JSON may refuse are replaced. A line that is too long is left out.
    pub fn feed_each(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8], bool)) {
        let facts = &mut self.facts;
        self.lines.feed(bytes, |line| read(facts, &line, &mut each));
    }

    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns what is known of the whole run, a last line without an end included.
    #[must_use]
    pub fn finish(self) -> Facts {
        self.finish_each(|_, _| ())
    }

    /// As [`Self::finish`]; `each` gets the last line if it has no end.
    #[must_use]
    pub fn finish_each(mut self, mut each: impl FnMut(&[u8], bool)) -> Facts {
        let facts = &mut self.facts;
        self.lines.finish(|line| read(facts, &line, &mut each));
        self.facts
    }
}

fn read(facts: &mut Facts, line: &Line<'_>, each: &mut impl FnMut(&[u8], bool)) {
    let Line::Whole(bytes) = line else {
        facts.too_long_lines += 1;
        return;
    };
    let text = mended_text(bytes);
    let bytes = text.as_bytes();
    if bytes.trim_ascii().is_empty() {
        return each(bytes, true);
    }
    let record = serde_json::from_str(&text);
    each(bytes, record.is_ok());
    match record {
        Ok(record @ Value::Object(_)) => fold::fold(facts, &record, bytes),
        _ => facts.unreadable_lines += 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_an_emoji_and_bytes_that_are_not_text_make_no_line_unreadable() {
        let lines = concat!(
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"\udc00"}]}}"#,
            "\n",
            r#"{"type":"result","subtype":"success","is_error":false,"result":"done ?"}"#,
            "\n"
        );
        let bytes = lines
            .bytes()
            .map(|byte| if byte == b'?' { 0xff } else { byte });
        let mut reader = Reader::default();
        let mut printed = String::new();
        reader.feed_each(&bytes.collect::<Vec<u8>>(), |line, is_json| {
            assert!(is_json);
            printed.push_str(std::str::from_utf8(line).unwrap());
        });
        assert!(printed.contains(r#""\ufffd""#) && printed.contains("done \u{fffd}"));
        let facts = reader.finish();
        assert_eq!((facts.records, facts.unreadable_lines), (2, 0));
        assert_eq!(
            facts.outcome.unwrap().text.as_deref(),
            Some("done \u{fffd}")
        );
    }
}
