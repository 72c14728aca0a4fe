//! Turns output into events: one per line, with its time and type.

use ccd_text::expect::CleanStream;
use ccd_text::hidden::HiddenTexts;
use ccd_text::pattern::Compiled;
use encoding_rs::Encoding;
use std::io::Write as _;

/// Longest line that is written at once, including its head and newline: less than a pipe takes atomically.
pub(super) const MAX_LINE_BYTES: usize = 4000;

/// Maximum length of `[unix.mmm][TYPE] `.
const HEAD_BYTES: usize = 32;

/// Longest text of an event; longer text is split.
const MAX_TEXT_BYTES: usize = MAX_LINE_BYTES - HEAD_BYTES - 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PipeEventKind {
    Out,
    Err,
    In,
    Meta,
}

impl PipeEventKind {
    fn name(self) -> &'static str {
        match self {
            PipeEventKind::Out => "OUT",
            PipeEventKind::Err => "ERR",
            PipeEventKind::In => "IN ",
            PipeEventKind::Meta => "MTX",
        }
    }
}

/// What the type and the text of an output line depend on.
#[derive(Clone, Copy)]
pub(super) struct LineRules<'a> {
    pub(super) patterns: &'a Compiled,
    /// Hidden input, which programs may print.
    pub(super) hidden: &'a HiddenTexts,
}

/// Turns output that arrives in pieces into lines.
pub(super) struct PipeLines {
    clean: CleanStream,
    /// A line whose end has not arrived.
    begun: String,
    /// Part of the line that `begun` belongs to was written already.
    is_continued: bool,
    /// The last character was a carriage return, which also ends a line.
    is_after_return: bool,
}

impl PipeLines {
    pub(super) fn new(encoding: &'static Encoding) -> Self {
        Self {
            clean: CleanStream::new(encoding),
            begun: String::new(),
            is_continued: false,
            is_after_return: false,
        }
    }

    /// Appends the events of all lines that end in `bytes`, and of the parts of a line that exceeds the maximum length.
    pub(super) fn feed(&mut self, bytes: &[u8], ms: u64, rules: &LineRules<'_>, out: &mut Vec<u8>) {
        let text = self.clean.feed(bytes);
        self.take(&text, ms, rules, out);
    }

    pub(super) fn has_begun(&self) -> bool {
        !self.begun.is_empty()
    }

    /// Appends the line that was begun, as far as it has arrived.
    pub(super) fn flush(&mut self, ms: u64, rules: &LineRules<'_>, out: &mut Vec<u8>) {
        if self.has_begun() {
            self.end_line(ms, rules, out);
            self.is_continued = true;
        }
    }

    /// Appends what is left once no more output will arrive.
    pub(super) fn finish(&mut self, ms: u64, rules: &LineRules<'_>, out: &mut Vec<u8>) {
        let text = self.clean.finish();
        self.take(&text, ms, rules, out);
        self.flush(ms, rules, out);
    }

    fn take(&mut self, text: &str, ms: u64, rules: &LineRules<'_>, out: &mut Vec<u8>) {
        for part in text.split_inclusive(['\n', '\r']) {
            let line = part.trim_end_matches(['\n', '\r']);
            let end = part[line.len()..].chars().next();
            self.begun.push_str(line);
            while self.begun.len() > MAX_TEXT_BYTES {
                let cut = self.begun.floor_char_boundary(MAX_TEXT_BYTES);
                let rest = self.begun.split_off(cut);
                self.end_line(ms, rules, out);
                (self.begun, self.is_continued) = (rest, true);
            }
            // An empty line counts, except at the end of a line that was already written or is redrawn.
            let is_drawn_again = end == Some('\r') || self.is_after_return;
            let is_line = !self.begun.is_empty() || !(self.is_continued || is_drawn_again);
            if end.is_some() {
                if is_line {
                    self.end_line(ms, rules, out);
                }
                self.is_continued = false;
            }
            self.is_after_return = end == Some('\r');
        }
    }

    fn end_line(&mut self, ms: u64, rules: &LineRules<'_>, out: &mut Vec<u8>) {
        let kind = if rules.patterns.is_error_line(&self.begun) {
            PipeEventKind::Err
        } else {
            PipeEventKind::Out
        };
        if rules.hidden.is_empty() {
            event(kind, &self.begun, ms, out);
        } else {
            let masked = rules.hidden.mask(&self.begun, 0..self.begun.len());
            event(kind, &masked, ms, out);
        }
        self.begun.clear();
    }
}

/// Appends an event, as several lines if the text is long or contains several.
pub(super) fn events(kind: PipeEventKind, text: &str, ms: u64, out: &mut Vec<u8>) {
    for line in text.trim_end_matches(['\n', '\r']).split(['\n', '\r']) {
        let mut rest = line;
        loop {
            let cut = rest.floor_char_boundary(MAX_TEXT_BYTES);
            event(kind, &rest[..cut], ms, out);
            rest = &rest[cut..];
            if rest.is_empty() {
                break;
            }
        }
    }
}

fn event(kind: PipeEventKind, text: &str, ms: u64, out: &mut Vec<u8>) {
    let (seconds, millis, name) = (ms / 1000, ms % 1000, kind.name());
    let _ = writeln!(out, "[{seconds}.{millis:03}][{name}] {text}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static PATTERNS: LazyLock<Compiled> = LazyLock::new(Compiled::built_in);
    static HIDDEN: LazyLock<HiddenTexts> = LazyLock::new(HiddenTexts::default);

    fn rules() -> LineRules<'static> {
        LineRules {
            patterns: &PATTERNS,
            hidden: &HIDDEN,
        }
    }

    fn lines_of(pieces: &[&str]) -> Vec<String> {
        let pieces = pieces.iter().map(|piece| piece.as_bytes());
        let text = String::from_utf8(fed(pieces, &rules())).unwrap();
        let lines = text.lines().map(|line| line.replace("[1.234]", ""));
        lines.collect()
    }

    fn fed<'a>(pieces: impl Iterator<Item = &'a [u8]>, rules: &LineRules<'_>) -> Vec<u8> {
        let mut lines = PipeLines::new(encoding_rs::UTF_8);
        let mut out = Vec::new();
        for piece in pieces {
            lines.feed(piece, 1_234, rules, &mut out);
        }
        lines.finish(1_234, rules, &mut out);
        out
    }

    #[test]
    fn each_line_is_an_event() {
        assert_eq!(
            lines_of(&["a\r\n\r\n\x1b[31mls: x: Permission denied\x1b[0m\r\nlast"]),
            [
                "[OUT] a",
                "[OUT] ",
                "[ERR] ls: x: Permission denied",
                "[OUT] last"
            ]
        );
        assert_eq!(
            lines_of(&["10%\r20%\r\r100%\r\n"]),
            ["[OUT] 10%", "[OUT] 20%", "[OUT] 100%"]
        );
        assert_eq!(lines_of(&["a", "b\r", "\nc\n"]), ["[OUT] ab", "[OUT] c"]);
    }

    #[test]
    fn what_was_begun_is_written_once() {
        let mut lines = PipeLines::new(encoding_rs::UTF_8);
        let mut out = Vec::new();
        lines.feed(b"Name: ", 0, &rules(), &mut out);
        assert!(lines.has_begun() && out.is_empty());
        lines.flush(0, &rules(), &mut out);
        lines.feed(b"\n\nnext", 0, &rules(), &mut out);
        lines.flush(0, &rules(), &mut out);
        lines.feed(b" part\n", 0, &rules(), &mut out);
        let text = String::from_utf8(out)
            .unwrap()
            .replace("[0.000][OUT] ", "|");
        assert_eq!(text, "|Name: \n|\n|next\n| part\n");
    }

    #[test]
    fn what_was_typed_hidden_is_not_told() {
        let hidden = HiddenTexts::default();
        hidden.remember("hunter2");
        let rules = LineRules {
            hidden: &hidden,
            ..rules()
        };
        let out = fed(std::iter::once(&b"got hunter2!\nhunter\n"[..]), &rules);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "[1.234][OUT] got <hidden>!\n[1.234][OUT] hunter\n");
    }

    #[test]
    fn long_lines_are_split_between_characters() {
        let long = "é".repeat(5000);
        let lines = lines_of(&[&long, "\n"]);
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.len() <= MAX_LINE_BYTES));
        let text: String = lines.iter().map(|line| &line["[OUT] ".len()..]).collect();
        assert_eq!(text, long);
    }

    #[test]
    fn a_text_with_several_lines_is_several_events() {
        let mut out = Vec::new();
        events(PipeEventKind::In, "a\rb\n", 9_876_543, &mut out);
        events(PipeEventKind::Meta, "", 0, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "[9876.543][IN ] a\n[9876.543][IN ] b\n[0.000][MTX] \n"
        );
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_lines_each_short_enough(
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", "é", "\r", "\n", "\r\n", "\x1b[31m", "error: x", "\u{4e16}", "\x1b]0;t\x07", " ",
            ]), 0..60),
            repeat in 1usize..300,
            cut in 1usize..40,
        ) {
            let whole = parts.concat().repeat(repeat);
            let bytes = fed(whole.as_bytes().chunks(cut), &rules());
            let at_once = fed(std::iter::once(whole.as_bytes()), &rules());
            prop_assert!(bytes.split(|byte| *byte == b'\n').all(|line| line.len() < MAX_LINE_BYTES));
            prop_assert_eq!(bytes, at_once);
        }
    }
}
