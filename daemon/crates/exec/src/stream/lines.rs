//! Bytes into lines.

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Whole(&'a [u8]),
    /// It was longer than the limit and is lost.
    TooLong,
}

/// Splits at `\n` alone: U+2028 and a carriage return are parts of a line.
#[derive(Debug)]
pub(super) struct Lines {
    max_bytes: usize,
    /// The start of a line whose end has not come yet.
    partial: Vec<u8>,
    /// The rest of this line is thrown away.
    is_too_long: bool,
}

impl Lines {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            partial: Vec::new(),
            is_too_long: false,
        }
    }

    /// Takes the next bytes and passes on each line that ends in them.
    pub(super) fn feed(&mut self, mut bytes: &[u8], mut line: impl FnMut(Line<'_>)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.pass_on(&bytes[..end], &mut line);
            bytes = &bytes[end + 1..];
        }
        self.keep(bytes);
    }

    /// Passes on a last line that has no end.
    pub(super) fn finish(&mut self, mut line: impl FnMut(Line<'_>)) {
        if self.is_too_long || !self.partial.is_empty() {
            self.pass_on(b"", &mut line);
        }
    }

    fn pass_on(&mut self, end: &[u8], line: &mut impl FnMut(Line<'_>)) {
        if self.partial.is_empty() && !self.is_too_long && end.len() <= self.max_bytes {
            return line(Line::Whole(end));
        }
        self.keep(end);
        let partial = std::mem::take(&mut self.partial);
        if std::mem::take(&mut self.is_too_long) {
            line(Line::TooLong)
        } else {
            line(Line::Whole(&partial))
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.is_too_long || self.partial.len() + bytes.len() > self.max_bytes {
            self.is_too_long = true;
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }
}
