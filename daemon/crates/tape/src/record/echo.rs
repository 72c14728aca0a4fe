//! Checks whether output is only the echo of what was typed.

/// Follows the output after keys that did not end a line.
#[derive(Debug, Clone, Default)]
pub(super) struct EchoFollower {
    typed: Vec<u8>,
    /// How many typed bytes were echoed.
    echoed: usize,
    /// Other output was printed.
    has_other: bool,
    sequence: Sequence,
}

/// The position within a control sequence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Sequence {
    #[default]
    None,
    Escape,
    Csi,
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
        for &byte in bytes {
            if self.has_other {
                return;
            }
            self.sequence = match (self.sequence, byte) {
                (Sequence::None, 0x1b) => Sequence::Escape,
                (Sequence::None, _) => {
                    self.plain(byte);
                    Sequence::None
                }
                (Sequence::Escape, b'[') => Sequence::Csi,
                (Sequence::Escape, _) => {
                    self.has_other = true;
                    Sequence::None
                }
                // Erases up to the end of the line; characters after the cursor move.
                (Sequence::Csi, b'K' | b'P' | b'@' | b'C' | b'D') => Sequence::None,
                (Sequence::Csi, b'0'..=b'9' | b';') => Sequence::Csi,
                (Sequence::Csi, _) => {
                    self.has_other = true;
                    Sequence::None
                }
            };
        }
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
