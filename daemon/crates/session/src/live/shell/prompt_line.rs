//! The line that a prompt stands on.

use ccd_screen::Screen;
use ccd_text::escape::{Kind, Piece, Splitter};

/// Maximum part of the output that is compared, from its end, in bytes.
pub(super) const TAIL_MAX_LEN: usize = 4096;

/// The body of the sequence with which integrated shells end their prompt.
const PROMPT_END_MARK: &[u8] = b"133;B";

/// Some line editors end a line with `\n` alone.
const LINE_FEEDS_RETURN: &[u8] = b"\x1b[20h";

/// Returns a screen that shows only the last line, as if it were never wrapped.
pub(super) fn last_line_screen() -> Screen {
    let mut screen = Screen::new(1, TAIL_MAX_LEN as u16);
    screen.feed(LINE_FEEDS_RETURN);
    screen
}

/// Returns the last line that a terminal would show, left of the cursor: line editors print the line and go back.
pub(super) fn last_line(tail: &[u8]) -> Vec<u8> {
    let mut screen = last_line_screen();
    screen.feed(tail);
    screen.before_cursor().into_bytes()
}

/// Returns whether nothing was shown since a prompt ended with its mark.
pub(super) fn ends_with_mark(tail: &[u8]) -> bool {
    let mut is_at_mark = false;
    Splitter::new().pieces(tail, |piece| match piece {
        Piece::Text(text) => {
            let is_shown = |byte: &u8| *byte == b'\n' || !byte.is_ascii_control();
            is_at_mark &= !text.iter().any(is_shown);
        }
        Piece::Sequence(sequence) => {
            let is_osc = matches!(sequence.kind, Kind::Osc { .. });
            is_at_mark |= is_osc && sequence.body.starts_with(PROMPT_END_MARK);
        }
    });
    is_at_mark
}
