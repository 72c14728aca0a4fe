//! Removes terminal control sequences from output that arrives in pieces.

use encoding_rs::Encoding;
use std::ops::Range;

/// Maximum length of a control sequence that is removed; what follows is text again.
/// Large enough for images and clipboard contents, and small enough that an unterminated sequence cannot swallow a
/// session's output for ever.
pub(super) const MAX_SEQUENCE_BYTES: usize = 1 << 20;

/// How many bytes of plain text are tested at once.
const BLOCK_BYTES: usize = 16;

const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const ESC: u8 = 0x1b;

/// The first byte of each C1 control in UTF-8.
pub(super) const C1_LEAD: u8 = 0xc2;

/// Removes control sequences, even if they are split between chunks.
/// It removes CSI sequences; OSC, DCS, SOS, PM and APC strings; charset and other escapes; DEL; every control byte
/// below 0x20 except `\n` and `\t`; and one `\r` directly before a `\n` (even with a sequence between the two). Any
/// other `\r` is kept.
///
/// - A string ends at ST, BEL, CAN or SUB. A new ESC ends any sequence, and so does a byte that cannot belong to it,
///   which is then treated as text: no byte inside a sequence is ever treated as text.
/// - A sequence ends after [`MAX_SEQUENCE_BYTES`], terminated or not.
/// - The 8-bit forms (0x80 to 0x9f) stay: in UTF-8 and most other encodings those bytes are parts of characters. Who
///   decodes the text removes the characters U+0080 to U+009F ([`is_c1`]).
#[derive(Debug, Clone, Default)]
pub struct Stripper {
    state: State,
    sequence_bytes: usize,
    fed_bytes: u64,
    open_return: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    Escape,
    Intermediate,
    Csi,
    ControlString,
}

impl Stripper {
    /// Returns a stripper that treats its first byte as text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the remaining part of `raw` to `out`.
    /// A `\r` at the very end is held back until the next byte decides about it.
    pub fn feed(&mut self, raw: &[u8], out: &mut Vec<u8>) {
        self.feed_runs(raw, |_, kept| out.extend_from_slice(kept));
    }

    /// Appends the `\r` that is held back, if there is one.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if self.take_return().is_some() {
            out.push(b'\r');
        }
    }

    /// Calls `keep` with each contiguous run of `raw` that remains, in order, and with its offset in all bytes fed so
    /// far.
    pub(crate) fn feed_runs(&mut self, raw: &[u8], mut keep: impl FnMut(u64, &[u8])) {
        let mut at = 0;
        while at < raw.len() {
            let offset = self.fed_bytes + at as u64;
            if self.state == State::Ground {
                at += self.ground(&raw[at..], offset, &mut keep);
                continue;
            }
            let room = MAX_SEQUENCE_BYTES - self.sequence_bytes;
            let end = raw.len().min(at.saturating_add(room));
            let used = self.sequence(&raw[at..end]);
            self.sequence_bytes += used;
            at += used;
            if self.sequence_bytes >= MAX_SEQUENCE_BYTES {
                self.state = State::Ground;
            }
        }
        self.fed_bytes += raw.len() as u64;
    }

    /// Returns whether a `\r` is held back.
    pub(super) fn holds_return(&self) -> bool {
        self.open_return.is_some()
    }

    /// Drops the `\r` that is held back: returns its offset.
    pub(crate) fn take_return(&mut self) -> Option<u64> {
        self.open_return.take()
    }

    /// Passes on a run of text and the control byte that ends it; returns how many bytes.
    fn ground(&mut self, raw: &[u8], offset: u64, keep: &mut impl FnMut(u64, &[u8])) -> usize {
        let plain_len = plain_len(raw);
        if plain_len > 0 {
            if let Some(held) = self.open_return.take()
                && raw[0] != b'\n'
            {
                keep(held, b"\r");
            }
            keep(offset, &raw[..plain_len]);
        }
        let Some(&control) = raw.get(plain_len) else {
            return plain_len;
        };
        if control == ESC {
            self.state = State::Escape;
            self.sequence_bytes = 0;
        } else if control == b'\r'
            && let Some(held) = self.open_return.replace(offset + plain_len as u64)
        {
            keep(held, b"\r");
        }
        plain_len + 1
    }

    /// Processes bytes of a sequence; returns how many belong to it, 0 if it has ended.
    fn sequence(&mut self, raw: &[u8]) -> usize {
        let (used, next) = match (self.state, raw[0]) {
            (State::Escape, b'[') => (1, State::Csi),
            (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => (1, State::ControlString),
            (State::Escape | State::Intermediate, 0x20..=0x2f) => (1, State::Intermediate),
            (State::Escape | State::Intermediate, 0x30..=0x7e) => (1, State::Ground),
            (State::Csi, _) => {
                let parameters = raw.iter().take_while(|byte| is_parameter(**byte)).count();
                match raw.get(parameters) {
                    None => (parameters, State::Csi),
                    Some(0x40..=0x7e) => (parameters + 1, State::Ground),
                    Some(_) => (parameters, State::Ground),
                }
            }
            (State::ControlString, _) => match raw.iter().position(|byte| ends_string(*byte)) {
                None => (raw.len(), State::ControlString),
                Some(end) if raw[end] == ESC => (end, State::Ground),
                Some(end) => (end + 1, State::Ground),
            },
            _ => (0, State::Ground),
        };
        self.state = next;
        used
    }
}

/// Returns `raw` without control sequences, as [`Stripper`] removes them.
pub(super) fn clean(raw: &[u8]) -> Vec<u8> {
    let mut stripper = Stripper::new();
    let mut text = Vec::with_capacity(raw.len());
    stripper.feed(raw, &mut text);
    stripper.finish(&mut text);
    text
}

/// Calls `keep` with each unbroken run of text in `raw`.
pub(crate) fn each_run(raw: &[u8], mut keep: impl FnMut(Range<usize>)) {
    let mut stripper = Stripper::new();
    stripper.feed_runs(raw, |at, kept| {
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        keep(start..start + kept.len());
    });
    if let Some(at) = stripper.take_return() {
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        keep(start..start + 1);
    }
}

/// Returns the text of `raw` without control sequences; bytes that are invalid in `encoding` become U+FFFD.
pub fn clean_lossy(raw: &[u8], encoding: &'static Encoding) -> String {
    let text = clean(raw);
    let (text, _) = encoding.decode_without_bom_handling(&text);
    without_c1(text.into_owned())
}

/// Returns a decoded text without the controls of [`is_c1`].
pub(super) fn without_c1(mut text: String) -> String {
    // Rare in any text, and found at memory speed.
    if text.as_bytes().contains(&C1_LEAD) {
        text.retain(|c| !is_c1(c));
    }
    text
}

/// True for the 8-bit forms of controls, which some terminals obey although the text is UTF-8.
pub(super) fn is_c1(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9f}')
}

/// Returns how many bytes at the start of `raw` remain unchanged.
fn plain_len(raw: &[u8]) -> usize {
    let mut len = 0;
    // Without a branch per byte, the compiler tests a whole block at once.
    for block in raw.chunks_exact(BLOCK_BYTES) {
        if block
            .iter()
            .fold(false, |any, byte| any | is_control(*byte))
        {
            break;
        }
        len += BLOCK_BYTES;
    }
    let rest = raw[len..].iter().position(|byte| is_control(*byte));
    rest.map_or(raw.len(), |rest| len + rest)
}

fn is_control(byte: u8) -> bool {
    (byte < 0x20) & (byte != b'\n') & (byte != b'\t') | (byte == 0x7f)
}

fn is_parameter(byte: u8) -> bool {
    (0x20..=0x3f).contains(&byte)
}

fn ends_string(byte: u8) -> bool {
    matches!(byte, ESC | BEL | CAN | SUB)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sequences_of_every_kind_are_removed() {
        #[rustfmt::skip]
        let rows = [
            (&b"a\x1b[1;31mb\x1b[0mc"[..], &b"abc"[..]),
            (b"\x1b]0;title\x07x\x1b]8;;http://a\x1b\\y", b"xy"),
            (b"\x1bP1;2q#0~\x1b\\a\x1b_G\x1b\\b\x1b^p\x1b\\c\x1bXs\x1b\\d", b"abcd"),
            (b"\x1b(Ba\x1b=b\x1b7c\x1b#8d", b"abcd"),
            (b"\x00a\x08b\x07c\x7fd\te\n", b"abcd\te\n"),
            (b"\x1b[38:2::1:2:3mx\x1b[?2004hy\x1b[ qz", b"xyz"),
            ("é\u{9b}ü".as_bytes(), "é\u{9b}ü".as_bytes()),
        ];
        for (raw, text) in rows {
            assert_eq!(clean(raw), text, "{:?}", String::from_utf8_lossy(raw));
        }
    }

    #[test]
    fn only_the_return_before_a_newline_goes() {
        assert_eq!(clean(b"a\r\nb\rc\r\r\nd\r"), b"a\nb\rc\r\nd\r");
        assert_eq!(clean(b"a\r\x1b[K\nb\r\x1b[Kc"), b"a\nb\rc");
        assert_eq!(clean(b"a\r\x00\nb"), b"a\nb");
    }

    #[test]
    fn what_breaks_a_sequence_is_text() {
        assert_eq!(clean(b"\x1b[3\n1m"), b"\n1m");
        assert_eq!(clean("\x1b[3é".as_bytes()), "é".as_bytes());
        assert_eq!(clean(b"\x1b]0;t\x18a\x1bP\x1ab\x1b[12\x18c"), b"abc");
        assert_eq!(clean(b"\x1b]0;t\x1b[1ma\x1b\x1b[mb"), b"ab");
    }

    #[test]
    fn a_string_without_an_end_is_over_after_its_limit() {
        let mut raw = b"\x1b]0;".to_vec();
        raw.resize(MAX_SEQUENCE_BYTES, b'x');
        raw.extend_from_slice(b"xTEXT");
        assert_eq!(clean(&raw), b"TEXT");
    }

    #[test]
    fn bytes_outside_the_encoding_become_replacement_characters() {
        assert_eq!(
            clean_lossy(b"a\xff\x1b[mb", encoding_rs::UTF_8),
            "a\u{fffd}b"
        );
        let text = "é\u{9b}31m\u{a0}\u{80}\u{9f}ü".as_bytes();
        assert_eq!(clean_lossy(text, encoding_rs::UTF_8), "é31m\u{a0}ü");
        assert_eq!(clean_lossy(b"caf\xe9", encoding_rs::WINDOWS_1252), "café");
    }

    proptest! {
        #[test]
        fn chunk_borders_change_nothing(
            raw in proptest::collection::vec(
                prop_oneof![
                    proptest::sample::select(&b"\x1b\x1b\r\n[]P\\(;07mA\x07\x18\t\xc3\xa9 "[..]),
                    any::<u8>(),
                ],
                0..200,
            ),
            cuts in proptest::collection::vec(1usize..7, 1..20),
        ) {
            let (mut stripper, mut text, mut rest) = (Stripper::new(), Vec::new(), &raw[..]);
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, after) = rest.split_at(rest.len().min(*cut));
                stripper.feed(chunk, &mut text);
                rest = after;
            }
            stripper.finish(&mut text);
            prop_assert_eq!(&text, &clean(&raw));
            prop_assert!(text.iter().all(|byte| *byte == b'\r' || !is_control(*byte)));
        }
    }
}
