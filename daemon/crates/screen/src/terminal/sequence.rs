//! What each sequence does.

use super::cell::{Attributes, Cell};
use super::page::Terminal;
use crate::modes::scroll_region;
use ccd_text::escape::{Csi, Kind, Sequence, is_picture_only};

impl Terminal {
    /// Obeys a sequence; unknown ones have no effect.
    pub(crate) fn sequence(&mut self, sequence: &Sequence<'_>) {
        self.end_character();
        if sequence.truncated {
            if sequence.body.starts_with(b"8;") {
                self.set_link(b"");
            }
            return;
        }
        let before = (self.modes.alternate_screen, self.modes.scroll_region);
        if sequence.kind != Kind::Csi || !is_picture_only(sequence.body) {
            self.modes.apply(sequence);
        }
        match (sequence.kind, sequence.body) {
            (Kind::Csi, body) => {
                if let Some(csi) = Csi::parse(body) {
                    self.csi(&csi, before);
                }
            }
            (Kind::Escape, body) => self.escape(body),
            (Kind::Osc { .. }, [b'8', b';', body @ ..]) => self.set_link(body),
            _ => {}
        }
        self.last = None;
    }

    fn escape(&mut self, body: &[u8]) {
        match body {
            b"7" => self.save_cursor(),
            b"8" => self.restore_cursor(),
            b"D" => self.index(),
            b"E" => {
                self.index();
                self.carriage_return();
            }
            b"H" => self.set_tab(),
            b"M" => self.reverse_index(),
            b"c" => self.reset(),
            b"#8" => self.fill_with_e(),
            _ => self.charsets.apply(body),
        }
    }

    /// Obeys a CSI sequence; `before` is whether the alternate screen was shown, and the region.
    fn csi(&mut self, csi: &Csi<'_>, before: (bool, Option<(u16, u16)>)) {
        let first = csi.first();
        let count = usize::from(first.max(1));
        match csi.shape() {
            (0, 0, b'm') => self.set_style(csi),
            (0, 0, b'A'..=b'H' | b'I' | b'Z' | b'`' | b'a' | b'd' | b'e' | b'f') => {
                self.movement(csi, count);
            }
            (0, 0, b'J' | b'K' | b'L' | b'M' | b'P' | b'S' | b'T' | b'X' | b'@') => {
                self.edit(csi, count);
            }
            (b'?', 0, b'J') => self.erase_screen(first, true),
            (b'?', 0, b'K') => self.erase_line(first, true),
            (b'?', 0, b'h' | b'l') => {
                let is_on = csi.action == b'h';
                for number in csi.numbers() {
                    self.mode_changed(number, is_on, before.0);
                }
            }
            (0, 0, b'b') => self.repeat(first),
            (0, 0, b'g') => self.clear_tabs(first),
            (0, 0, b'r') => self.set_region(csi, before.1),
            (0, 0, b's') if csi.is_bare() => self.save_cursor(),
            (0, 0, b'u') if csi.is_bare() => self.restore_cursor(),
            (0, b'!', b'p') => self.soft_reset(),
            (0, b'"', b'q') => {
                let attributes = &mut self.cursor().template.style.attributes;
                attributes.set(Attributes::PROTECTED, first == 1);
            }
            _ => {}
        }
    }

    fn movement(&mut self, csi: &Csi<'_>, count: usize) {
        match csi.action {
            b'A' => self.move_up(count),
            b'B' | b'e' => self.move_down(count),
            b'C' | b'a' => self.move_right(count),
            b'D' => self.move_left(count),
            b'E' => {
                self.move_down(count);
                self.carriage_return();
            }
            b'F' => {
                self.move_up(count);
                self.carriage_return();
            }
            b'G' | b'`' => self.go_to_col(count - 1),
            b'd' => self.go_to_row(count - 1),
            b'I' => self.tab_forward(count),
            b'Z' => self.tab_back(count),
            _ => {
                let col = csi.numbers().nth(1).unwrap_or(0).max(1);
                let is_up = count - 1 < self.row();
                let row = if is_up && self.keep_rows() {
                    0
                } else {
                    count - 1
                };
                self.go_to(row, usize::from(col) - 1);
            }
        }
    }

    fn edit(&mut self, csi: &Csi<'_>, count: usize) {
        match csi.action {
            b'J' => self.erase_screen(csi.first(), false),
            b'K' => self.erase_line(csi.first(), false),
            b'L' => self.insert_lines(count),
            b'M' => self.delete_lines(count),
            b'P' => self.delete_chars(count),
            b'S' => self.scroll_up(self.region(), count),
            // With more parameters, it starts the tracking of a highlight.
            b'T' if csi.numbers().count() == 1 => self.scroll_down(self.region(), count),
            b'T' => {}
            b'X' => self.erase_chars(count),
            _ => self.insert_chars(count),
        }
    }

    /// Does what a mode does at the moment when it is set or reset.
    fn mode_changed(&mut self, number: u16, is_on: bool, was_alternate: bool) {
        match (number, is_on) {
            (3, _) if self.modes.column_mode_allowed => self.change_columns(),
            (6, _) => self.go_to(0, 0),
            (47 | 1047, true) => self.enter_alternate(),
            (47 | 1047, false) => self.leave_alternate(true),
            (1048, true) => self.save_cursor(),
            (1048, false) => self.restore_cursor(),
            (1049, true) if !was_alternate => {
                self.save_cursor();
                self.enter_alternate();
            }
            (1049, false) => {
                self.leave_alternate(false);
                self.restore_cursor();
            }
            _ => {}
        }
    }

    /// Obeys DECSTBM; `before` is the region before.
    fn set_region(&mut self, csi: &Csi<'_>, before: Option<(u16, u16)>) {
        let last = self.size().0 - 1;
        let region = scroll_region(csi).map(|(top, bottom)| (top, bottom.min(last)));
        match region.filter(|(top, bottom)| top < bottom) {
            Some(region) => {
                self.modes.scroll_region = (region != (0, last)).then_some(region);
                self.go_to(0, 0);
            }
            None => self.modes.scroll_region = before,
        }
    }

    /// Repeats the last character.
    fn repeat(&mut self, count: u16) {
        let Some(character) = self.last else { return };
        let (rows, cols) = self.size();
        for _ in 0..visible_repeats(count.max(1), (rows, cols)) {
            self.character(character);
        }
    }

    fn soft_reset(&mut self) {
        self.cursor().template = Cell::default();
        self.charsets = Default::default();
        self.forget_saved_cursor();
    }
}

/// Returns a number of repetitions of a character, at most about a screenful, that has the same effect as `count`.
/// Once they have filled the screen, it is the same again after each row: after `cols` narrow characters or `cols / 2`
/// wide ones.
fn visible_repeats(count: u16, (rows, cols): (u16, u16)) -> u32 {
    let (count, cols) = (u32::from(count), u32::from(cols));
    let screenful = u32::from(rows) * cols;
    // A multiple of both.
    let round = if cols % 2 == 0 {
        cols
    } else {
        cols * (cols / 2).max(1)
    };
    match count.checked_sub(screenful) {
        Some(extra) => screenful + extra % round,
        None => count,
    }
}
