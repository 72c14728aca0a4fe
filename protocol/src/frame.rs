//! Framing on the socket: one message per line, UTF-8, ended by `\n`.

use std::borrow::Cow;

/// Default limit of one line, without its newline.
pub const FRAME_LIMIT_BYTES: usize = 16 << 20;

/// Initial size of the buffer for an unfinished line.
const SMALL_BUFFER_BYTES: usize = 1024;

/// Splits a stream of bytes into lines, without reading anything itself.
///
/// After a line over the limit it resynchronises at the next newline. It skips blank lines, and stores only the start
/// of an unfinished line, never more than the limit.
#[derive(Debug)]
pub struct LineFrames {
    limit_bytes: usize,
    partial: Vec<u8>,
    skipping: bool,
}

/// A line of the stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// A line without its newline; it may be neither UTF-8 nor JSON.
    Line(Cow<'a, [u8]>),
    /// A line over the limit, reported once, as soon as it exceeds the limit.
    TooLong,
}

impl LineFrames {
    /// Accepts lines of up to `limit_bytes` bytes, not counting the newline.
    #[must_use]
    pub fn new(limit_bytes: usize) -> Self {
        Self {
            limit_bytes,
            partial: Vec::new(),
            skipping: false,
        }
    }

    /// Returns the next frame of `input` and advances `input` past it.
    ///
    /// `None` means that all of `input` was consumed. A line that `input` contains completely is borrowed.
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Option<Frame<'a>> {
        while !input.is_empty() {
            let Some(len) = memchr::memchr(b'\n', input) else {
                return self.keep(std::mem::take(input));
            };
            let (line, rest) = (&input[..len], &input[len + 1..]);
            *input = rest;
            if let Some(frame) = self.complete(line) {
                return Some(frame);
            }
        }
        None
    }

    /// Returns the last line if the stream ended without a newline.
    pub fn finish(&mut self) -> Option<Frame<'static>> {
        let line = std::mem::take(&mut self.partial);
        (!is_blank(&line)).then_some(Frame::Line(Cow::Owned(line)))
    }

    /// Number of bytes of the unfinished line.
    #[must_use]
    pub fn unfinished_len(&self) -> usize {
        self.partial.len()
    }

    /// Drops the unfinished line, with what arrives of it later.
    pub fn drop_unfinished(&mut self) {
        self.partial = Vec::new();
        self.skipping = true;
    }

    /// Ends the line whose last part is `tail`.
    fn complete<'a>(&mut self, tail: &'a [u8]) -> Option<Frame<'a>> {
        if std::mem::take(&mut self.skipping) {
            return None;
        }
        let mut line = std::mem::take(&mut self.partial);
        if line.len() + tail.len() > self.limit_bytes {
            return Some(Frame::TooLong);
        }
        let line = if line.is_empty() {
            Cow::Borrowed(tail)
        } else {
            line.reserve_exact(tail.len());
            line.extend_from_slice(tail);
            Cow::Owned(line)
        };
        (!is_blank(&line)).then_some(Frame::Line(line))
    }

    /// Stores `part` of a line that continues in the next input.
    fn keep(&mut self, part: &[u8]) -> Option<Frame<'static>> {
        if self.skipping {
            return None;
        }
        let len = self.partial.len() + part.len();
        if len > self.limit_bytes {
            self.drop_unfinished();
            return Some(Frame::TooLong);
        }
        if len > self.partial.capacity() {
            // Doubling alone would take up to twice the limit.
            let capacity = (2 * len).max(SMALL_BUFFER_BYTES).min(self.limit_bytes);
            self.partial.reserve_exact(capacity - self.partial.len());
        }
        self.partial.extend_from_slice(part);
        None
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMIT_BYTES: usize = 12;

    /// Feeds `chunks` one by one and collects copies of the frames; a frame too long is `None`.
    fn frames(chunks: &[&[u8]]) -> Vec<Option<Vec<u8>>> {
        let mut decoder = LineFrames::new(LIMIT_BYTES);
        let mut all = Vec::new();
        for chunk in chunks {
            let mut input = *chunk;
            while let Some(frame) = decoder.next(&mut input) {
                all.push(owned(frame));
            }
            assert!(input.is_empty());
            assert!(decoder.partial.len() <= LIMIT_BYTES);
            assert!(decoder.partial.capacity() <= LIMIT_BYTES);
        }
        all.extend(decoder.finish().map(owned));
        all
    }

    fn owned(frame: Frame<'_>) -> Option<Vec<u8>> {
        match frame {
            Frame::Line(line) => Some(line.into_owned()),
            Frame::TooLong => None,
        }
    }

    /// The rule, said in one expression over the whole text.
    fn split(whole: &[u8]) -> Vec<Option<Vec<u8>>> {
        whole
            .split(|&byte| byte == b'\n')
            .filter(|line| line.len() > LIMIT_BYTES || !is_blank(line))
            .map(|line| (line.len() <= LIMIT_BYTES).then(|| line.to_vec()))
            .collect()
    }

    #[test]
    fn a_line_over_the_limit_is_told_once_and_skipped() {
        let long = [b'x'; LIMIT_BYTES + 1];
        assert_eq!(
            frames(&[b"{1}\n", &long, &long, b"xx\n{2}\n"]),
            [Some(b"{1}".to_vec()), None, Some(b"{2}".to_vec())]
        );
        assert_eq!(
            frames(&[&long[1..], b"\n"]),
            [Some(long[1..].to_vec())],
            "a line of exactly the limit is taken"
        );
    }

    #[test]
    fn a_last_line_without_newline_counts() {
        assert_eq!(
            frames(&[b"{1}\r\n\n \n{", b"2}"]),
            [Some(b"{1}\r".to_vec()), Some(b"{2}".to_vec())]
        );
        assert_eq!(frames(&[b"{1}\n  \t"]), [Some(b"{1}".to_vec())]);
    }

    #[test]
    fn a_whole_line_is_not_copied() {
        let mut input = &b"{1}\n{2"[..];
        let mut decoder = LineFrames::new(LIMIT_BYTES);
        let frame = decoder.next(&mut input);
        assert_eq!(frame, Some(Frame::Line(Cow::Borrowed(b"{1}"))));
        assert_eq!(decoder.next(&mut input), None);
        assert_eq!(decoder.partial.len(), 2);
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_lines_of_the_whole(
            whole in proptest::collection::vec(
                prop_oneof![Just(b'\n'), Just(b' '), Just(b'{'), any::<u8>()], 0..200),
            cuts in proptest::collection::vec(0usize..200, 0..20),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(whole.len())).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|cut| &whole[cut[0]..cut[1]]).collect();
            prop_assert_eq!(frames(&chunks), split(&whole));
        }
    }
}
