//! The text that rules read instead of raw bytes, and where each byte of it was.

use crate::expect::{Runs, each_run};
use crate::redact::engine::Shown;
use std::ops::Range;

/// Replaces each byte that is not UTF-8. No rule uses it, and it cannot be part of a text without control sequences
/// otherwise.
const FOREIGN: u8 = 0x7f;

const BACKSPACE: u8 = 0x08;
const DELETE: u8 = 0x7f;
const ESC: u8 = 0x1b;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A program, on a terminal.
    Output,
    /// A keyboard. `\r` is the Enter key: of all secrets, only a private key contains it.
    Typed,
}

/// A text, and where each byte of it was.
pub(super) struct View {
    text: String,
    places: Places,
    /// Where something invisible was removed from the text.
    seams: Vec<usize>,
}

#[derive(Default)]
struct Places {
    runs: Runs,
    /// A length of the text, and the end of the raw bytes that belong to it because they were erased.
    erased: Vec<(usize, usize)>,
}

impl View {
    /// Returns the text without control sequences, as expect and `session.read` see it.
    pub(super) fn without_sequences(raw: &[u8]) -> Self {
        Self::new(raw, Editor::default())
    }

    /// Returns the text after backspaces and the line breaks of a line editor; `None` if there are none.
    pub(super) fn as_edited(raw: &[u8], source: Source) -> Option<Self> {
        let joins_lines = source == Source::Output && memchr::memchr(b'\r', raw).is_some();
        let edits = joins_lines || memchr::memchr2(BACKSPACE, DELETE, raw).is_some();
        let editor = Editor {
            erases: true,
            joins_lines,
            ..Editor::default()
        };
        edits.then(|| Self::new(raw, editor))
    }

    fn new(raw: &[u8], mut editor: Editor) -> Self {
        editor.text.reserve(raw.len());
        each_part(raw, |part| match part {
            BytePart::Shown(run) if editor.joins_lines => {
                for at in run {
                    editor.take(raw[at], at);
                }
            }
            BytePart::Shown(run) => editor.push(&raw[run.clone()], run.start),
            BytePart::Separator(at) => editor.take(b'\n', at),
            BytePart::Erasure(at) if editor.erases => editor.erase(at + 1),
            BytePart::Erasure(_) | BytePart::Unseen => editor.note_seam(),
        });
        Self {
            text: readable(editor.text),
            places: editor.places,
            seams: editor.seams,
        }
    }

    pub(super) fn shown(&self) -> Shown<'_> {
        Shown::with_seams(&self.text, &self.seams)
    }

    /// Converts a place in the text, which must not be empty, to its place in the raw bytes.
    pub(super) fn raw(&self, place: &Range<usize>) -> Range<usize> {
        let runs = &self.places.runs;
        let last = runs.raw(place.end - 1) + 1;
        let erased = &self.places.erased;
        let end = match erased.binary_search_by_key(&place.end, |&(len, _)| len) {
            Ok(found) => last.max(erased[found].1),
            Err(_) => last,
        };
        runs.raw(place.start)..end
    }
}

impl Places {
    /// Notes that the text was cut to `text` bytes after reading the raw bytes before `raw`.
    fn cut(&mut self, text: usize, raw: usize) {
        let runs = &mut self.runs.0;
        while runs.pop_if(|(start, _)| *start >= text).is_some() {}
        let erased = &mut self.erased;
        while erased.pop_if(|(len, _)| *len >= text).is_some() {}
        self.erased.push((text, raw));
    }
}

#[derive(Default)]
struct Editor {
    text: Vec<u8>,
    places: Places,
    seams: Vec<usize>,
    erases: bool,
    joins_lines: bool,
    /// Where a `\r` was whose effect depends on the next byte.
    returned: Option<usize>,
}

impl Editor {
    fn take(&mut self, byte: u8, at: usize) {
        if let Some(returned) = self.returned.take() {
            let is_join = byte != b'\r' && self.is_wrapped(byte);
            if is_join {
                self.drop_last(returned + 1);
            } else {
                self.push(b"\r", returned);
            }
        }
        if byte == b'\r' && self.joins_lines {
            self.returned = Some(at);
        } else {
            self.push(&[byte], at);
        }
    }

    /// Returns whether a line editor wraps here. At the right edge it prints a blank or the next character, which moves
    /// the cursor to the next line, and returns to the start of that line: `abc \rdef` and `abcd\rdef` both show
    /// `abcdef`.
    fn is_wrapped(&self, next: u8) -> bool {
        match self.text.as_slice() {
            [.., before, b' '] => *before > b' ' && next > b' ',
            [.., last] => *last == next && next > b' ',
            [] => false,
        }
    }

    fn erase(&mut self, seen: usize) {
        if let Some(returned) = self.returned.take() {
            self.push(b"\r", returned);
        }
        if !matches!(self.text.last(), None | Some(b'\n' | b'\r')) {
            self.drop_last(seen);
        }
    }

    fn push(&mut self, bytes: &[u8], at: usize) {
        self.places.runs.note(self.text.len(), at);
        self.text.extend_from_slice(bytes);
    }

    fn note_seam(&mut self) {
        let at = self.text.len();
        if self.seams.last() != Some(&at) {
            self.seams.push(at);
        }
    }

    fn drop_last(&mut self, seen: usize) {
        while let Some(byte) = self.text.pop() {
            let is_first = !(0x80..0xc0).contains(&byte);
            if is_first {
                break;
            }
        }
        let len = self.text.len();
        self.places.cut(len, seen);
        self.seams
            .truncate(self.seams.partition_point(|&seam| seam <= len));
    }
}

/// A part of a stream of bytes.
enum BytePart {
    /// Text.
    Shown(Range<usize>),
    /// A byte that separates records as a line break does: see [`is_separator`].
    Separator(usize),
    /// A byte that erases the last character.
    Erasure(usize),
    /// Anything else that is invisible.
    Unseen,
}

/// Calls `take` with each part of `raw`.
fn each_part(raw: &[u8], mut take: impl FnMut(BytePart)) {
    let mut seen = 0;
    let mut runs = |run: Range<usize>| {
        unseen_parts(raw, seen..run.start, &mut take);
        seen = run.end;
        if !run.is_empty() {
            take(BytePart::Shown(run));
        }
    };
    each_run(raw, &mut runs);
    runs(raw.len()..raw.len());
}

/// Calls `take` with each part of the bytes in `gap`, which are not text.
fn unseen_parts(raw: &[u8], gap: Range<usize>, take: &mut impl FnMut(BytePart)) {
    let control = &raw[gap.clone()];
    // Nothing, or the first half of a line break.
    if matches!(control, [] | [b'\r']) {
        return;
    }
    let strings = control_strings(control);
    let mut next = strings.iter().peekable();
    for (at, &byte) in control.iter().enumerate() {
        while next.next_if(|string| string.end <= at).is_some() {}
        if next.peek().is_some_and(|string| string.start <= at) {
            continue;
        }
        match byte {
            BACKSPACE | DELETE => take(BytePart::Erasure(gap.start + at)),
            _ if is_separator(raw, gap.start + at) => take(BytePart::Separator(gap.start + at)),
            _ => {}
        }
    }
    take(BytePart::Unseen);
}

/// Returns whether the byte is NUL or one of the four ASCII separators, which separate records. Between the bytes of
/// wide characters NUL is only padding.
fn is_separator(raw: &[u8], at: usize) -> bool {
    let is_nul = |offset: isize| raw.get(at.wrapping_add_signed(offset)) == Some(&0);
    let is_between = |side: isize| !is_nul(side) && is_nul(2 * side);
    match raw[at] {
        0 => !is_between(-1) && !is_between(1),
        byte => (0x1c..=0x1f).contains(&byte),
    }
}

/// Returns where the contents of control strings are, such as the title of a window.
pub(super) fn control_strings(raw: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(escape) = memchr::memchr(ESC, &raw[from..]) {
        let opens = from + escape + 1;
        from = opens;
        if let Some(b']' | b'P' | b'X' | b'^' | b'_') = raw.get(opens) {
            let ends = |byte: &u8| matches!(*byte, ESC | 0x07 | 0x18 | 0x1a);
            let rest = &raw[opens + 1..];
            let len = rest.iter().position(ends).unwrap_or(rest.len());
            from = opens + 1 + len;
            found.push(opens + 1..from);
        }
    }
    found
}

/// Returns the bytes as UTF-8 of the same length.
pub(super) fn readable(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::from(FOREIGN)));
    }
    text
}
