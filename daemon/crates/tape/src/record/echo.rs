//! Checks whether output is only the echo of what was typed.

use ccd_text::escape::{Csi, Piece, Sequence, Splitter};

/// Follows the output after keys that did not end a line.
#[derive(Debug, Clone, Default)]
pub(super) struct EchoFollower {
    typed: Vec<u8>,
    /// How many typed bytes were echoed.
    echoed: usize,
    /// Other output was printed.
    has_other: bool,
    splitter: Splitter,
}

impl EchoFollower {
    pub(super) fn typed(&mut self, bytes: &[u8]) {
        self.typed.extend_from_slice(bytes);
    }

    /// True as long as only the echo was printed, so that the next keys belong to the same line.
    pub(super) fn is_only_echo(&self) -> bool {
        !self.has_other
    }

    /// Consumes output. Characters must arrive in the order in which they were typed. In between may come what an
    /// editor prints to remove a character: backspaces, blanks and erasing sequences.
    pub(super) fn printed(&mut self, bytes: &[u8]) {
        let mut splitter = std::mem::take(&mut self.splitter);
        splitter.pieces(bytes, |piece| match piece {
            Piece::Text(text) => text.iter().for_each(|&byte| self.plain(byte)),
            Piece::Sequence(sequence) => self.has_other |= !edits_a_line(&sequence),
        });
        self.splitter = splitter;
    }

    fn plain(&mut self, byte: u8) {
        let rest = self.typed.get(self.echoed..).unwrap_or_default();
        if !rest.is_empty() && !rest.contains(&b'*') && byte == b'*' {
            // A mask stands for a key of a secret.
            self.echoed += 1;
        } else if let Some(skipped) = rest.iter().position(|&typed| typed == byte) {
            // The skipped keys show nothing, because they were erased.
            self.echoed += skipped + 1;
        } else if !matches!(byte, 0x08 | b' ') {
            self.has_other = true;
        }
    }
}

/// Whether the sequence erases up to the end of the line, or moves the cursor or the characters after it.
fn edits_a_line(sequence: &Sequence<'_>) -> bool {
    let csi = Csi::parse(sequence.body).filter(|_| sequence.is_bare_csi());
    csi.is_some_and(|csi| matches!(csi.shape(), (0, 0, b'K' | b'P' | b'@' | b'C' | b'D')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only_echo(typed: &[u8], printed: &[u8]) -> bool {
        let mut echo = EchoFollower::default();
        echo.typed(typed);
        echo.printed(printed);
        echo.is_only_echo()
    }

    #[test]
    fn the_echo_of_typed_keys_is_told_from_other_output() {
        for (typed, printed) in [
            (&b"sel"[..], &b"sel"[..]),
            (b"sel", b"se"),
            (b"sel", b""),
            (b"sec\x7fl", b"sec\x08 \x08l"),
            (b"sec\x7fl", b"sec\x08\x1b[Kl"),
            ("größe".as_bytes(), "größe".as_bytes()),
            (b"sec", b"***"),
            (b"sec\x7fr", b"***\x08 \x08*"),
        ] {
            assert!(only_echo(typed, printed), "{typed:?} {printed:?}");
        }
        for (typed, printed) in [
            (&b"q"[..], &b"bye"[..]),
            (b"sel", b"s\r\n"),
            (b"l\t", b"ls -a"),
            (b"j", b"\x1b[2;1Hj"),
            (b"s", b"ss"),
            (b"s", b"**"),
        ] {
            assert!(!only_echo(typed, printed), "{typed:?} {printed:?}");
        }
    }
}
