//! The bounded output of one command.

/// Most output bytes that one run keeps, as the terminal sent them.
pub(super) const OUTPUT_MAX_LEN: usize = 16 * 1024 * 1024;

/// Output from its start; bytes beyond [`OUTPUT_MAX_LEN`] are dropped.
#[derive(Debug, Default)]
pub(super) struct CommandOutput {
    pub(super) bytes: Vec<u8>,
    /// Output is missing that was lost before it came here.
    pub(super) truncated: bool,
    is_full: bool,
}

impl CommandOutput {
    /// Appends the bytes that still fit.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.is_full {
            return;
        }
        let free_len = OUTPUT_MAX_LEN - self.bytes.len();
        self.is_full = bytes.len() > free_len;
        self.bytes
            .extend_from_slice(&bytes[..bytes.len().min(free_len)]);
        // Not between a carriage return and its newline.
        if self.is_full && self.bytes.ends_with(b"\r") {
            self.bytes.pop();
        }
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_full || self.truncated
    }

    /// Returns the length of the start that is here, if all of the rest follows it in the session's output.
    pub(super) fn len_before_rest(&self) -> Option<usize> {
        (self.is_full && !self.truncated).then_some(self.bytes.len())
    }

    pub(super) fn place(&self) -> OutputLength {
        OutputLength {
            len: self.bytes.len(),
            truncated: self.truncated,
            is_full: self.is_full,
        }
    }

    pub(super) fn cut(&mut self, place: OutputLength) {
        self.bytes.truncate(place.len);
        self.truncated = place.truncated;
        self.is_full = place.is_full;
    }

    /// Returns the bytes after the first `from` that the command wrote. With `onlcr` the terminal added one `\r` before
    /// every `\n`, so one is removed.
    pub(super) fn written(&self, from: usize, onlcr: bool) -> Vec<u8> {
        let bytes = &self.bytes[from..];
        if !onlcr {
            return bytes.to_vec();
        }
        let mut written = Vec::with_capacity(bytes.len());
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            match line.strip_suffix(b"\r\n") {
                Some(text) => {
                    written.extend_from_slice(text);
                    written.push(b'\n');
                }
                None => written.extend_from_slice(line),
            }
        }
        written
    }
}

/// A length of a [`CommandOutput`] that it can be cut back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputLength {
    len: usize,
    truncated: bool,
    is_full: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_carriage_return_goes_before_each_newline() {
        let mut output = CommandOutput::default();
        output.push(b"a\r\nb\r\r\n\rc\r");
        output.push(b"\n\n");
        assert_eq!(output.written(0, true), b"a\nb\r\n\rc\n\n");
        assert_eq!(output.written(0, false), b"a\r\nb\r\r\n\rc\r\n\n");
    }

    #[test]
    fn output_is_bounded_and_says_so() {
        let mut output = CommandOutput::default();
        output.push(&vec![b'x'; OUTPUT_MAX_LEN - 1]);
        let place = output.place();
        output.push(b"y");
        assert!(!output.is_cut());
        output.push(b"z");
        assert_eq!(output.len_before_rest(), Some(OUTPUT_MAX_LEN));
        assert_eq!(output.bytes.last(), Some(&b'y'));
        output.cut(place);
        assert_eq!(
            (output.bytes.len(), output.is_cut()),
            (OUTPUT_MAX_LEN - 1, false)
        );
    }
}
