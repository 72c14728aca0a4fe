//! The reader that is fed with what Claude Code prints.

use super::facts::StreamFacts;
use super::fold;
use ccd_base::surrogate::mended_text;
use ccd_protocol::frame::{Frame, LineFrames};
use serde_json::Value;

/// Maximum length of a line that is read; a longer one is counted and otherwise ignored.
const MAX_LINE_BYTES: usize = 32 * 1024 * 1024;

/// Reads the stream of one run, in chunks of any size.
#[derive(Debug)]
pub struct StreamReader {
    lines: LineFrames,
    facts: StreamFacts,
}

impl Default for StreamReader {
    fn default() -> Self {
        Self {
            lines: LineFrames::new(MAX_LINE_BYTES),
            facts: StreamFacts::default(),
        }
    }
}

impl StreamReader {
    /// Takes the next bytes; `each` gets the lines that end in them, without their ends, and whether a line is JSON. Bytes
    /// and halves of characters that a parser of JSON may refuse are replaced. A line that is too long is left out, as are blank
    /// ones.
    pub fn feed(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8], bool)) {
        while let Some(frame) = self.lines.next(&mut bytes) {
            read(&mut self.facts, &frame, &mut each);
        }
    }

    #[must_use]
    pub fn facts(&self) -> &StreamFacts {
        &self.facts
    }

    /// Returns what is known of the whole run; `each` gets the last line if it has no end.
    #[must_use]
    pub fn finish(mut self, mut each: impl FnMut(&[u8], bool)) -> StreamFacts {
        if let Some(frame) = self.lines.finish() {
            read(&mut self.facts, &frame, &mut each);
        }
        self.facts
    }
}

fn read(facts: &mut StreamFacts, frame: &Frame<'_>, each: &mut impl FnMut(&[u8], bool)) {
    let Frame::Line(bytes) = frame else {
        facts.too_long_lines += 1;
        return;
    };
    let text = mended_text(bytes);
    let record = serde_json::from_str(&text);
    each(text.as_bytes(), record.is_ok());
    if let Ok(record @ Value::Object(_)) = record {
        fold::fold(facts, &record, text.as_bytes());
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
        let mut reader = StreamReader::default();
        let mut printed = String::new();
        reader.feed(&bytes.collect::<Vec<u8>>(), |line, is_json| {
            assert!(is_json);
            printed.push_str(std::str::from_utf8(line).unwrap());
        });
        assert!(printed.contains(r#""\ufffd""#) && printed.contains("done \u{fffd}"));
        let facts = reader.finish(|_, _| ());
        assert_eq!(facts.said, "\u{fffd}");
        assert_eq!(
            facts.outcome.unwrap().text.as_deref(),
            Some("done \u{fffd}")
        );
    }
}
