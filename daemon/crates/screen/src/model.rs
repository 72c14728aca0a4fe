//! The current screen, computed from the output of the program.

use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::charsets::Charsets;
use super::dialect;
use super::modes::Modes;
use super::palette::Palette;
use super::repaint;
use super::scanner::title;
use super::slice;
use super::still::{self, Still};
use ccd_protocol::session::Cursor;
use ccd_text::escape::{Kind, Sequence, Splitter, is_picture_only};
use encoding_rs::{Decoder, Encoding, UTF_8};

/// The text of a row, and whether it goes on in the next one.
pub(super) type Row = (String, bool);

/// A screen model. It needs about 32 bytes per cell, twice that with the alternate screen.
///
/// Unlike xterm, it does not support movable tab stops, insert mode, disabled autowrap and double-size lines. Some
/// styles of a cell are not kept: struck through, blinking, hidden, links, and kinds and colours of underlines; of bold
/// and dim, only the last is kept.
pub struct Screen {
    /// For output that is not UTF-8.
    decoder: Option<Decoder>,
    /// The last byte may start a character that the decoder has not completed.
    may_lack_bytes: bool,
    splitter: Splitter,
    picture: ScreenState,
}

/// The parts of a [`Screen`] that a complete sequence or text changes.
struct ScreenState {
    parser: vt100::Parser,
    /// Number of remembered rows above the screen; usually none, because all output is stored elsewhere.
    rows_above: usize,
    modes: Modes,
    charsets: Charsets,
    palette: Palette,
    title: String,
    open_character: OpenCharacter,
    /// How often the model failed on some output and was replaced by a blank screen.
    faults: u64,
}

/// An incomplete character at the end of the text so far; empty if it is complete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct OpenCharacter {
    there: usize,
    needed: usize,
}

impl Screen {
    /// Returns a blank screen; sizes of 0 count as 1.
    pub fn new(rows: u16, cols: u16) -> Self {
        Self::with_rows_above(rows, cols, 0)
    }

    /// Returns a blank screen that keeps so many of the rows that leave it at its top.
    pub(super) fn with_rows_above(rows: u16, cols: u16, rows_above: usize) -> Self {
        let picture = ScreenState {
            parser: vt100::Parser::new(at_least_one(rows), at_least_one(cols), rows_above),
            rows_above,
            modes: Modes::default(),
            charsets: Charsets::default(),
            palette: Palette::default(),
            title: String::new(),
            open_character: OpenCharacter::default(),
            faults: 0,
        };
        Self {
            decoder: None,
            may_lack_bytes: false,
            splitter: Splitter::new(),
            picture,
        }
    }

    /// Reads output in another encoding from now on. Encodings in which control sequences differ from ASCII (UTF-16,
    /// ISO-2022-JP) are treated as UTF-8.
    pub fn reading(self, encoding: &'static Encoding) -> Self {
        let is_other = encoding != UTF_8 && encoding.is_ascii_compatible();
        Self {
            decoder: is_other.then(|| encoding.new_decoder_without_bom_handling()),
            ..self
        }
    }

    /// Processes the next chunk of output, which may be split anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        let Some(decoder) = &mut self.decoder else {
            return self.feed_utf8(bytes);
        };
        let most = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(0);
        let mut text = String::with_capacity(most);
        let _ = decoder.decode_to_string(bytes, &mut text, false);
        if let Some(last) = bytes.last() {
            self.may_lack_bytes = !last.is_ascii();
        }
        self.feed_utf8(text.as_bytes());
    }

    /// Processes output for about as long as `budget`; returns how many bytes are processed, at least one if there are
    /// any. The time in excess is that of 2 KiB of text, or of one sequence that changes the whole screen.
    pub fn feed_for(&mut self, bytes: &[u8], budget: Duration) -> usize {
        let start = Instant::now();
        let mut done = 0;
        while done < bytes.len() {
            let rest = &bytes[done..];
            let len = slice::len(rest, self.cell_count());
            self.feed(&rest[..len]);
            done += len;
            if start.elapsed() >= budget {
                break;
            }
        }
        done
    }

    fn feed_utf8(&mut self, bytes: &[u8]) {
        let (mut rest, mut drawn) = (bytes, 0);
        loop {
            let understood =
                |body: &[u8]| !self.picture.charsets.in_use() && dialect::is_understood(body);
            let Some(sequence) = self.splitter.next(&mut rest, |body| {
                !(is_picture_only(body) && understood(body))
            }) else {
                break;
            };
            let already_next = sequence.kind == (Kind::Cancelled { by_escape: true });
            let end = (bytes.len() - rest.len()).saturating_sub(usize::from(already_next));
            let start = end.checked_sub(sequence.len_bytes as usize);
            // Nearly all sequences go to the model with the text around them; one that started in an earlier chunk
            // cannot.
            if start.is_some() && sequence.is_bare_csi() && understood(sequence.body) {
                self.picture.modes.apply(&sequence);
                continue;
            }
            self.picture
                .text(&bytes[drawn..start.unwrap_or(0).max(drawn)]);
            self.picture.sequence(&sequence);
            drawn = end;
        }
        let text_end = bytes
            .len()
            .saturating_sub(self.splitter.open_len_bytes() as usize);
        self.picture.text(&bytes[drawn..text_end.max(drawn)]);
    }

    /// Changes the size; sizes of 0 count as 1.
    pub fn resize(&mut self, rows: u16, cols: u16) {
        let (rows, cols) = (at_least_one(rows), at_least_one(cols));
        self.picture.modes.scroll_region = None;
        self.picture
            .guarded((rows, cols), |parser| parser.set_size(rows, cols));
    }

    /// Returns the size as rows and columns.
    pub fn size(&self) -> (u16, u16) {
        let (rows, cols) = self.picture.parser.screen().size();
        (rows.get(), cols.get())
    }

    /// Returns the number of its cells.
    pub fn cell_count(&self) -> usize {
        let (rows, cols) = self.size();
        usize::from(rows) * usize::from(cols)
    }

    /// Returns the position of the cursor.
    pub fn cursor(&self) -> Cursor {
        still::cursor(self.picture.parser.screen(), &self.picture.modes)
    }

    /// Returns the text from the start of the cursor's line, which may have wrapped, to the cursor; blank cells are
    /// blanks.
    pub fn before_cursor(&self) -> String {
        let screen = self.picture.parser.screen();
        let (row, col) = screen.cursor_position();
        let mut first = row;
        while first > 0 && screen.row_wrapped(first - 1) {
            first -= 1;
        }
        let (_, cols) = self.size();
        let mut text = String::new();
        for row_of_line in first..=row {
            let end = if row_of_line == row { col } else { cols };
            let cells = (0..end).filter_map(|col| screen.cell(row_of_line, col));
            for cell in cells.filter(|cell| !cell.is_wide_continuation()) {
                text.push_str(if cell.has_contents() {
                    cell.contents()
                } else {
                    " "
                });
            }
        }
        text
    }

    /// Returns a copy of the screen, which can be read while this one changes.
    pub fn still(&self) -> Still {
        Still {
            screen: self.picture.parser.screen().clone(),
            modes: self.picture.modes,
            palette: self.picture.palette.clone(),
            title: self.picture.title.clone(),
        }
    }

    /// Returns the number of bytes at the end of the output that have no effect yet: an incomplete sequence or
    /// character.
    pub fn open_bytes(&self) -> u64 {
        if self.may_lack_bytes {
            return 1;
        }
        match self.splitter.open_len_bytes() {
            0 => self.picture.open_character.there as u64,
            open => open,
        }
    }

    /// Returns a cell of the screen, counted from 0.
    pub(super) fn cell(&self, row: u16, col: u16) -> Option<&vt100::Cell> {
        self.picture.parser.screen().cell(row, col)
    }

    /// Takes the rows that have left the main screen at its top, the oldest first.
    pub(super) fn take_rows_above(&mut self) -> Vec<Row> {
        let screen = self.picture.parser.screen_mut();
        let mut rows = Vec::new();
        let mut left = screen.scrollback_len();
        while left > 0 {
            screen.set_scrollback(left);
            let seen = rows_of(screen).into_iter().take(left);
            let before = rows.len();
            rows.extend(seen);
            left -= rows.len() - before;
        }
        screen.clear_scrollback();
        rows
    }

    /// Returns the rows of the screen.
    pub(super) fn all_rows(&self) -> Vec<Row> {
        rows_of(self.picture.parser.screen())
    }

    pub(super) fn is_alternate(&self) -> bool {
        self.picture.parser.screen().alternate_screen()
    }

    /// Returns the row of the cursor, and how many characters of its text are before the cursor.
    pub(super) fn cursor_in_text(&self) -> (usize, usize) {
        let screen = self.picture.parser.screen();
        let (row, col) = screen.cursor_position();
        let cells = (0..col).filter_map(|col| screen.cell(row, col));
        let chars = cells
            .filter(|cell| !cell.is_wide_continuation())
            .map(|cell| cell.contents().chars().count().max(1));
        (row.into(), chars.sum())
    }

    /// Returns output that makes a terminal of this size, whatever it shows, show this screen at once.
    pub fn repaint_again(&mut self) -> Vec<u8> {
        let keyboard = self.picture.modes.keyboard;
        repaint::again(&self.repaint(), &keyboard)
    }

    /// Returns output that makes any terminal of this size show this screen, including title and modes.
    ///
    /// While the alternate screen is shown, it draws the main screen first if possible, so that it appears when the
    /// program leaves.
    pub fn repaint(&mut self) -> Vec<u8> {
        let picture = &mut self.picture;
        let main_screen = picture.main_screen();
        let screen = picture.parser.screen();
        repaint::output(
            main_screen.as_deref(),
            screen,
            &picture.modes,
            &picture.charsets,
            &picture.title,
        )
    }

    /// Returns output that makes another [`Screen`] of this size show this screen, including changed colours.
    pub fn saved(&mut self) -> Vec<u8> {
        let mut output = self.repaint();
        output.extend_from_slice(self.picture.palette.restored().as_bytes());
        output
    }
}

impl ScreenState {
    fn sequence(&mut self, sequence: &Sequence<'_>) {
        self.text(sequence.controls);
        self.modes.apply(sequence);
        self.palette.apply(sequence);
        if sequence.kind == Kind::Escape {
            self.charsets.apply(sequence.body);
        }
        if let Some(title) = title(sequence) {
            self.title = title;
        }
        let screen = self.parser.screen();
        let (rows, cols) = screen.size();
        let size = (rows.get(), cols.get());
        let bytes =
            dialect::translate(sequence, screen.cursor_position(), size).unwrap_or_else(|| {
                let is_csi = sequence.kind == Kind::Csi;
                let introducer: &[u8] = if is_csi { b"\x1b[" } else { b"\x1b" };
                [introducer, sequence.body].concat()
            });
        self.process(&bytes);
    }

    fn text(&mut self, text: &[u8]) {
        if self.charsets.in_use() {
            let plain = self.charsets.drawn(text);
            self.process(&plain);
        } else {
            self.process(text);
        }
    }

    fn process(&mut self, bytes: &[u8]) {
        // The parser (vte 0.15) loses a character after one whose bytes arrive in two parts, if a third one follows whose
        // bytes do. So the end of a character is passed alone. What should be the end may start another character.
        let mut rest = bytes;
        while self.open_character.needed > 0 && !rest.is_empty() {
            let OpenCharacter { there, needed } = self.open_character;
            let (end, after) = rest.split_at(needed.saturating_sub(there).min(rest.len()));
            self.process_part(end);
            rest = after;
        }
        self.process_part(rest);
    }

    fn process_part(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.open_character = open_character(self.open_character, bytes);
        self.guarded(self.parser.screen().size(), |parser| parser.process(bytes));
    }

    /// Runs `change`; if the model panics, it is replaced by a blank screen of `size`.
    fn guarded(&mut self, size: (NonZeroU16, NonZeroU16), change: impl FnOnce(&mut vt100::Parser)) {
        if catch_unwind(AssertUnwindSafe(|| change(&mut self.parser))).is_err() {
            self.parser = vt100::Parser::new(size.0, size.1, self.rows_above);
            self.faults += 1;
        }
    }

    /// Returns output that draws the main screen, if the alternate screen hides it.
    fn main_screen(&mut self) -> Option<String> {
        // The model shows its main screen only after a switch to it, which would split a character.
        if !self.parser.screen().alternate_screen() || self.open_character.there > 0 {
            return None;
        }
        self.process(b"\x1b[?47l");
        let drawn = self.parser.screen().contents_formatted();
        self.process(b"\x1b[?47h");
        Some(drawn)
    }
}

/// Returns the rows in view.
fn rows_of(screen: &vt100::Screen) -> Vec<Row> {
    let cols = screen.size().1.get();
    let texts = screen.rows(0, cols).zip(0..);
    texts
        .map(|(text, row)| (text, screen.row_wrapped(row)))
        .collect()
}

fn at_least_one(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap_or(NonZeroU16::MIN)
}

/// Returns the last character of `bytes` if it is incomplete; `open` came before them.
fn open_character(open: OpenCharacter, bytes: &[u8]) -> OpenCharacter {
    let tail = &bytes[bytes.len().saturating_sub(4)..];
    let (there, needed) = match tail.iter().rposition(|byte| byte & 0xc0 != 0x80) {
        None => (open.there + bytes.len(), open.needed),
        Some(lead) => {
            let needed = match tail[lead] {
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf7 => 4,
                _ => 1,
            };
            (tail.len() - lead, needed)
        }
    };
    if there < needed {
        OpenCharacter { there, needed }
    } else {
        OpenCharacter::default()
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
