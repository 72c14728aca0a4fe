//! The only writer of standard output, standard error and the terminal, so that no text of others controls the terminal.
//! Characters that a terminal obeys, or that reorder a line, are shown as `\u{1b}`, in JSON as `\u001b`. Sequences of
//! ccctl itself start with [`escape`], which nobody else knows.

use ccd_base::visible::Notation;
use rustix::event::{PollFd, PollFlags};
use rustix::fd::{AsFd as _, BorrowedFd};
use rustix::io::Errno;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::sync::LazyLock;

/// Maximum length of a character that has only begun, in bytes.
const MAX_OPEN_BYTES: usize = 3;

/// A standard stream without a buffer, and without the lock of the standard library, which another thread may hold, or
/// which a panic may have left locked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream(BorrowedFd<'static>);

#[derive(Debug)]
pub(crate) struct Writer<W: Write> {
    out: W,
    /// `None` for standard output that is not a terminal: it gets the bytes.
    notation: Option<Notation>,
    /// The first bytes of a character whose end is yet to come.
    open: Vec<u8>,
    at_line_start: bool,
}

/// Returns what stands for the escape character in sequences of ccctl itself until they are written.
pub(crate) fn escape() -> &'static str {
    static ESCAPE: LazyLock<String> =
        LazyLock::new(|| format!("\u{1b}{:016x}", RandomState::new().hash_one(())));
    &ESCAPE
}

/// Returns what clears the line of the cursor.
pub(crate) fn clear_line() -> String {
    format!("{0}[G{0}[K", escape())
}

/// Returns a text as a terminal shows it.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    show(text.as_bytes(), Notation::Text, &mut shown);
    shown
}

pub(crate) fn stdout(is_json: bool) -> Writer<BufWriter<Stream>> {
    Writer::of_stdout(BufWriter::new(raw_stdout()), is_json)
}

/// Standard output without a buffer, for lines of JSON.
pub(crate) fn json_lines() -> Writer<Stream> {
    Writer::of_stdout(raw_stdout(), true)
}

/// Standard error, in JSON or as text. It may reach a terminal by way of a file, so this is never raw.
pub(crate) fn stderr(is_json: bool) -> Writer<Stream> {
    Writer::new(raw_stderr(), Some(Notation::new(is_json)))
}

/// Standard output for sequences of ccctl itself, and for a program whose terminal is passed through.
pub(crate) fn raw_stdout() -> Stream {
    Stream(rustix::stdio::stdout())
}

pub(crate) fn raw_stderr() -> Stream {
    Stream(rustix::stdio::stderr())
}

impl<W: Write> Writer<W> {
    /// Writes text to a program that shows it on a terminal.
    pub(crate) fn to_terminal(out: W) -> Self {
        Self::new(out, Some(Notation::Text))
    }

    fn of_stdout(out: W, is_json: bool) -> Self {
        let notation = io::stdout().is_terminal().then(|| Notation::new(is_json));
        Self::new(out, notation)
    }

    fn new(out: W, notation: Option<Notation>) -> Self {
        let open = Vec::new();
        Self {
            out,
            notation,
            open,
            at_line_start: false,
        }
    }

    pub(crate) fn set_json(&mut self) {
        self.notation = self.notation.map(|_| Notation::Json);
    }

    pub(crate) fn write_raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(notation) = self.notation else {
            return self.out.write(bytes);
        };
        let mut text = std::mem::take(&mut self.open);
        text.extend_from_slice(bytes);
        self.open = text.split_off(whole_len(&text));
        // What is shown of a return depends on what is before it.
        let mut shown = String::from(if self.at_line_start { "\n" } else { "" });
        let before = shown.len();
        show(&text, notation, &mut shown);
        self.at_line_start = shown.ends_with('\n');
        self.out.write_all(&shown.as_bytes()[before..])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match rustix::io::write(self.0, bytes) {
                Err(Errno::INTR) => {}
                // Another program that shares the terminal made it non-blocking.
                Err(Errno::AGAIN) => {
                    let mut room = [PollFd::from_borrowed_fd(self.0.as_fd(), PollFlags::OUT)];
                    rustix::event::poll(&mut room, None)?;
                }
                written => return Ok(written?),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the length of a text without a character at its end that has only begun.
fn whole_len(text: &[u8]) -> usize {
    let has_begun = |at: &usize| {
        std::str::from_utf8(&text[*at..])
            .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    let mut last = text.len().saturating_sub(MAX_OPEN_BYTES)..text.len();
    last.find(has_begun).unwrap_or(text.len())
}

/// Adds a text in which nothing controls a terminal but the sequences that start with [`escape`].
fn show(text: &[u8], notation: Notation, shown: &mut String) {
    for chunk in text.utf8_chunks() {
        for (at, part) in chunk.valid().split(escape()).enumerate() {
            if at > 0 {
                shown.push('\u{1b}');
            }
            notation.show(part, shown);
        }
        if !chunk.invalid().is_empty() {
            shown.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOSTILE: &str = "a\u{1b}[2J\r\n\tb\u{7f}\u{9b}3m\u{202e}c\u{2066}\u{0}é\u{200b}\u{fdd0}";

    fn written(notation: Option<Notation>, pieces: &[&[u8]]) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), notation);
        for piece in pieces {
            writer.write_all(piece).unwrap();
        }
        writer.out
    }

    #[test]
    fn controls_are_shown_and_all_else_is_unchanged() {
        assert_eq!(
            visible(HOSTILE),
            "a\\u{1b}[2J\\u{d}\n\tb\\u{7f}\\u{9b}3m\\u{202e}c\\u{2066}\\u{0}é\u{200b}\u{fdd0}"
        );
        assert_eq!(
            written(None, &[HOSTILE.as_bytes(), b"\x9b\xff"]),
            [HOSTILE.as_bytes(), b"\x9b\xff"].concat()
        );
        // Only own sequences pass.
        let own = format!("{}[1mx\u{1b}[2J{}[0m", escape(), escape());
        assert_eq!(visible(&own), "\u{1b}[1mx\\u{1b}[2J\u{1b}[0m");
        assert_eq!(escape().len(), 17);
    }

    #[test]
    fn json_stays_the_same_json() {
        let value = serde_json::json!({ HOSTILE: [HOSTILE] });
        let text = written(Some(Notation::Json), &[value.to_string().as_bytes()]);
        let text = String::from_utf8(text).unwrap();
        assert_eq!(visible(&text), text);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_replaced() {
        let text = written(
            Some(Notation::Text),
            &[b"a\x9b2J\xe2\x82", b"\xac\xe2", b"b\xc2", b"\x9bc\xf0\x9f"],
        );
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "a\u{fffd}2J€\u{fffd}b\\u{9b}c"
        );
    }

    proptest! {
        #[test]
        fn nothing_is_obeyed_however_it_is_written(
            bytes in prop::collection::vec(prop_oneof![
                prop::sample::select(&b"\x1b\x9b\xc2\xe2\x80\xae\r\n\x7fa["[..]),
                any::<u8>(),
            ], 0..60),
            len in 1usize..7,
        ) {
            let whole = written(Some(Notation::Text), &[&bytes]);
            let pieces: Vec<_> = bytes.chunks(len).collect();
            prop_assert_eq!(&written(Some(Notation::Text), &pieces), &whole);
            let text = String::from_utf8(whole).unwrap();
            prop_assert_eq!(visible(&text), text);
        }
    }
}
