//! The line that a prompt stands on.

use ccd_text::escape::{Kind, Piece, Splitter};

/// Maximum part of the output that is compared, from its end, in bytes.
pub(super) const TAIL_MAX_LEN: usize = 4096;

const BACKSPACE: u8 = 0x08;
/// The body of the sequence with which integrated shells end their prompt.
const PROMPT_END_MARK: &[u8] = b"133;B";

/// The last line that a terminal would show, left of the cursor: line editors print the line and go back.
#[derive(Debug, Default)]
pub(super) struct PromptLine {
    pub(super) text: Vec<u8>,
    /// Where the cursor is in `text`; all characters are taken to be one column wide.
    at: usize,
    pub(super) ends_with_mark: bool,
}

impl PromptLine {
    pub(super) fn of(tail: &[u8]) -> Self {
        Self::follow(tail, |_| ())
    }

    /// Calls `watch` with the line after each character.
    pub(super) fn follow(tail: &[u8], mut watch: impl FnMut(&[u8])) -> Self {
        let mut line = Self::default();
        Splitter::new().pieces(tail, |piece| match piece {
            Piece::Text(text) => text.iter().for_each(|&byte| line.show(byte, &mut watch)),
            Piece::Sequence(sequence) => match sequence.kind {
                Kind::Osc { .. } => {
                    line.ends_with_mark |= sequence.body.starts_with(PROMPT_END_MARK);
                }
                Kind::Csi => line.obey(sequence.body),
                _ => {}
            },
        });
        line.text.truncate(line.at);
        line
    }

    fn show(&mut self, byte: u8, watch: &mut impl FnMut(&[u8])) {
        match byte {
            b'\n' => *self = Self::default(),
            b'\r' => self.at = 0,
            BACKSPACE => self.back(1),
            b' '..=b'~' | 0xc0.. => {
                let old_len = char_len(&self.text[self.at..]);
                self.text.splice(self.at..self.at + old_len, [byte]);
                self.shown(watch);
            }
            CONTINUATION_MIN..=CONTINUATION_MAX => {
                self.text.insert(self.at, byte);
                self.shown(watch);
            }
            _ => {}
        }
    }

    fn shown(&mut self, watch: &mut impl FnMut(&[u8])) {
        self.at += 1;
        self.ends_with_mark = false;
        watch(&self.text[..self.at]);
    }

    /// Moves the cursor or erases, for the sequences that line editors use.
    fn obey(&mut self, body: &[u8]) {
        let Some((last, params)) = body.split_last() else {
            return;
        };
        let count = std::str::from_utf8(params)
            .ok()
            .and_then(|text| text.parse().ok());
        match (last, count) {
            (b'K' | b'J', None | Some(0)) => self.text.truncate(self.at),
            (b'C', _) => self.forward(count.unwrap_or(1)),
            (b'D', _) => self.back(count.unwrap_or(1)),
            (b'G', _) => {
                self.at = 0;
                self.forward(count.unwrap_or(1).saturating_sub(1));
            }
            _ => {}
        }
    }

    fn forward(&mut self, columns: usize) {
        for _ in 0..columns.min(TAIL_MAX_LEN) {
            if self.at == self.text.len() {
                self.text.push(b' ');
            }
            self.at += char_len(&self.text[self.at..]);
        }
    }

    fn back(&mut self, columns: usize) {
        for _ in 0..columns.min(TAIL_MAX_LEN) {
            let before = &self.text[..self.at];
            let start = before.iter().rposition(|byte| !is_continuation(*byte));
            self.at = start.unwrap_or(0);
        }
    }
}

const CONTINUATION_MIN: u8 = 0x80;
const CONTINUATION_MAX: u8 = 0xbf;

fn is_continuation(byte: u8) -> bool {
    (CONTINUATION_MIN..=CONTINUATION_MAX).contains(&byte)
}

/// Returns the length in bytes of the first character of `text`; 0 if there is none.
fn char_len(text: &[u8]) -> usize {
    let rest = text.get(1..).unwrap_or_default();
    let more = rest
        .iter()
        .take_while(|byte| is_continuation(**byte))
        .count();
    text.len().min(1 + more)
}
