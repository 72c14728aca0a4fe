//! Finds the marks of one run in a terminal's output, even across chunks.

use memchr::memchr;

use super::wrap::Nonce;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const INTRODUCER: &[u8] = b"\x1b]133;";
/// Longest sequence that may be a mark of ccd, in bytes: enough for kind, status and nonce.
const MARK_MAX_LEN: usize = 96;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// The line editor has taken the command; it shows it next.
    Taken,
    /// The line editor did not take it.
    Refused(CommandRefusal),
    /// The shell prompts for the rest of an incomplete command. This mark has no nonce.
    Continues,
    Start,
    End {
        status: i32,
    },
    /// The shell answered a rescue line.
    Rescued {
        status: i32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandRefusal {
    /// Its line is not empty.
    HalfLine,
    /// It edits the answer to a question, not a command.
    Question,
    /// The shell is at its prompt again without having started the command.
    NotStarted,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum CommandPiece<'a> {
    /// Output, including marks of other runs and of the first prompt.
    Bytes(&'a [u8]),
    /// A mark of this run, at the stream offsets `start..end`.
    Mark { mark: Mark, start: u64, end: u64 },
}

/// Splits output into bytes and the marks that carry one nonce.
#[derive(Debug)]
pub(super) struct MarkScanner {
    nonce: Nonce,
    /// The start of a possible mark; always starts with ESC and never exceeds [`MARK_MAX_LEN`].
    held: Vec<u8>,
}

impl MarkScanner {
    /// Returns a scanner that recognises only marks with `nonce`.
    pub(super) fn new(nonce: Nonce) -> Self {
        Self {
            nonce,
            held: Vec::with_capacity(MARK_MAX_LEN),
        }
    }

    /// Passes the pieces of `raw`, which starts at the stream offset `offset`, to `sink`.
    /// Up to [`MARK_MAX_LEN`] last bytes are held back until the next call if they may start a mark.
    pub(super) fn feed(
        &mut self,
        raw: &[u8],
        offset: u64,
        sink: &mut impl FnMut(CommandPiece<'_>),
    ) {
        let mut rest = raw;
        let position = |rest: &[u8]| offset + (raw.len() - rest.len()) as u64;
        while let Some(&byte) = rest.first() {
            if self.held.is_empty() {
                let plain_len = memchr(ESC, rest).unwrap_or(rest.len());
                let (plain, from_escape) = rest.split_at(plain_len);
                if !plain.is_empty() {
                    sink(CommandPiece::Bytes(plain));
                    rest = from_escape;
                    continue;
                }
            }
            if !self.may_continue(byte) {
                // The byte may itself be the ESC of a mark, so it is checked again.
                self.release(sink);
                continue;
            }
            self.held.push(byte);
            rest = &rest[1..];
            if self.is_ended() {
                self.decide(position(rest), sink);
            }
        }
    }

    /// Passes on the bytes that are held back: no more output will come.
    pub(super) fn release(&mut self, sink: &mut impl FnMut(CommandPiece<'_>)) {
        if !self.held.is_empty() {
            sink(CommandPiece::Bytes(&self.held));
            self.held.clear();
        }
    }

    fn may_continue(&self, byte: u8) -> bool {
        let at = self.held.len();
        if let Some(&expected) = INTRODUCER.get(at) {
            return byte == expected;
        }
        match self.held.last() {
            Some(&ESC) => byte == b'\\',
            _ => at < MARK_MAX_LEN && matches!(byte, b' '..=b'~' | BEL | ESC),
        }
    }

    fn is_ended(&self) -> bool {
        self.held.len() > INTRODUCER.len()
            && (self.held.ends_with(&[BEL]) || self.held.ends_with(&[ESC, b'\\']))
    }

    fn decide(&mut self, end: u64, sink: &mut impl FnMut(CommandPiece<'_>)) {
        let Some(mark) = self.parse() else {
            return self.release(sink);
        };
        let start = end - self.held.len() as u64;
        sink(CommandPiece::Mark { mark, start, end });
        match mark {
            // Without a nonce it may also be the command's own output.
            Mark::Continues => self.release(sink),
            _ => self.held.clear(),
        }
    }

    fn parse(&self) -> Option<Mark> {
        let body = self.held.strip_prefix(INTRODUCER)?;
        let body = body
            .strip_suffix(&[BEL])
            .or_else(|| body.strip_suffix(b"\x1b\\"))?;
        let fields: Vec<&str> = std::str::from_utf8(body).ok()?.split(';').collect();
        let nonce = self.nonce.as_str();
        match fields[..] {
            ["T", given] if given == nonce => Some(Mark::Taken),
            ["T", given, "typed"] if given == nonce => {
                Some(Mark::Refused(CommandRefusal::HalfLine))
            }
            ["T", given, "asks"] if given == nonce => Some(Mark::Refused(CommandRefusal::Question)),
            ["A", "k=s"] => Some(Mark::Continues),
            ["C", given] if given == nonce => Some(Mark::Start),
            ["D", status, given] if given == nonce => Some(Mark::End {
                status: status.parse().ok()?,
            }),
            ["D", status, given, "rescue"] if given == nonce => Some(Mark::Rescued {
                status: status.parse().ok()?,
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the bytes, and the marks with their offsets, of output in these chunks.
    fn scan(chunks: &[&[u8]]) -> (Vec<u8>, Vec<(Mark, u64, u64)>) {
        let mut scanner = MarkScanner::new(Nonce::fixed("n1"));
        let (mut bytes, mut marks, mut offset) = (Vec::new(), Vec::new(), 0);
        let mut sink = |piece: CommandPiece<'_>| match piece {
            CommandPiece::Bytes(more) => bytes.extend_from_slice(more),
            CommandPiece::Mark { mark, start, end } => marks.push((mark, start, end)),
        };
        for chunk in chunks {
            scanner.feed(chunk, offset, &mut sink);
            offset += chunk.len() as u64;
        }
        scanner.release(&mut sink);
        (bytes, marks)
    }

    #[test]
    fn marks_are_found_at_any_cut() {
        let raw =
            b"x\x1b]133;C;n1\x07out\x1b[0m\x1b\x1b]133;D;130;n1\x1b\\\x1b]133;D;2;n1;rescue\x07y";
        let expected = vec![
            (Mark::Start, 1, 12),
            (Mark::End { status: 130 }, 20, 36),
            (Mark::Rescued { status: 2 }, 36, 56),
        ];
        for cut in 0..raw.len() {
            let (first, second) = raw.split_at(cut);
            let (bytes, marks) = scan(&[first, second]);
            assert_eq!(bytes, b"xout\x1b[0m\x1by", "cut at {cut}");
            assert_eq!(marks, expected, "cut at {cut}");
        }
    }

    #[test]
    fn marks_of_others_are_output() {
        for other in [
            &b"\x1b]133;C;n2\x07"[..],
            b"\x1b]133;D;0\x07",
            b"\x1b]133;A\x1b\\",
            b"\x1b]133;D;many;n1\x07",
            b"\x1b]133;D;0;n1\nx\x07",
            b"\x1b]133;C;n1",
            b"\x1b]133;C;n1\x1b",
            b"\x1b]0;title\x07",
        ] {
            assert_eq!(scan(&[other]), (other.to_vec(), vec![]));
        }
    }

    #[test]
    fn an_endless_sequence_is_not_held_back() {
        let mut raw = INTRODUCER.to_vec();
        raw.resize(10_000, b'x');
        assert_eq!(scan(&[&raw]).0, raw);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(chunks in prop::collection::vec(
            prop::collection::vec(prop::sample::select(b"\x1b]133;CDn1\x07\\\0\xff".to_vec()), 0..40), 0..8,
        )) {
            let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
            let whole = chunks.concat();
            let (bytes, marks) = scan(&chunks);
            let marked: u64 = marks.iter().map(|(_, start, end)| end - start).sum();
            prop_assert_eq!(bytes.len() as u64 + marked, whole.len() as u64);
            prop_assert_eq!((bytes, marks), scan(&[&whole]));
        }
    }
}
