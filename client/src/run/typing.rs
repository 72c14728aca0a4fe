//! The keys that make a program on a terminal in canonical mode read exactly given bytes.
//! The terminal interprets some bytes (`^C`, `^D`, a carriage return); each of these is quoted by `^V`. The terminal
//! limits the length of a line; a longer one is passed on in parts by `^D`, which in the middle of a line means "read
//! the bytes so far" and adds nothing.

use crate::terminal::MAX_KEYS_LEN;

const LINE_END: u8 = b'\n';
const END_OF_INPUT: u8 = 0x04;
const QUOTE: u8 = 0x16;

#[derive(Debug, Default)]
pub(crate) struct Typing {
    /// Bytes since the last newline or `^D`.
    piece_len: usize,
}

impl Typing {
    pub(crate) fn keys(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut keys = Vec::with_capacity(bytes.len() + bytes.len() / 16);
        for &byte in bytes {
            if self.piece_len == MAX_KEYS_LEN {
                keys.push(END_OF_INPUT);
                self.piece_len = 0;
            }
            if acts(byte) {
                keys.push(QUOTE);
            }
            keys.push(byte);
            self.piece_len = if byte == LINE_END {
                0
            } else {
                self.piece_len + 1
            };
        }
        keys
    }

    /// Returns the keys that pass on an unfinished line: a `^D`.
    pub(crate) fn hand_over(&mut self) -> &'static [u8] {
        match std::mem::take(&mut self.piece_len) {
            0 => &[],
            _ => &[END_OF_INPUT],
        }
    }
}

/// True for the bytes that a terminal with its usual settings interprets, except the newline.
fn acts(byte: u8) -> bool {
    matches!(
        byte,
        0x03 // interrupt
        | 0x04 // end of input
        | 0x0d // becomes a newline
        | 0x0f // discard
        | 0x11 | 0x13 // continue, stop
        | 0x12 // reprint
        | 0x14 // status, where there is one
        | 0x15 // erase the line
        | 0x16 // quote
        | 0x17 // erase a word
        | 0x19 | 0x1a // suspend
        | 0x1c // quit
        | 0x7f // erase
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a program reads from a terminal in canonical mode: the reads, an empty one for the end.
    fn reads(keys: &[u8]) -> Vec<Vec<u8>> {
        let (mut all, mut line) = (Vec::new(), Vec::new());
        let mut is_quoted = false;
        for &key in keys {
            match key {
                _ if is_quoted => {
                    is_quoted = false;
                    line.push(key);
                }
                QUOTE => is_quoted = true,
                END_OF_INPUT => all.push(std::mem::take(&mut line)),
                LINE_END => {
                    line.push(key);
                    all.push(std::mem::take(&mut line));
                }
                key => {
                    assert!(!acts(key));
                    line.push(key);
                }
            }
            assert!(line.len() < 4096, "the terminal would drop this");
        }
        assert!(line.is_empty(), "never handed over");
        all
    }

    fn read_by_program(input: &[u8], chunk_len: usize) -> Vec<u8> {
        let mut typing = Typing::default();
        let mut keys = Vec::new();
        for chunk in input.chunks(chunk_len) {
            keys.extend(typing.keys(chunk));
        }
        keys.extend(typing.hand_over());
        keys.push(END_OF_INPUT); // the end itself, which the daemon types
        let reads = reads(&keys);
        let (last, before) = reads.split_last().unwrap();
        assert!(last.is_empty());
        let is_whole = before.iter().all(|read| !read.is_empty());
        assert!(is_whole, "the end came early");
        before.concat()
    }

    #[test]
    fn any_bytes_arrive_as_they_are() {
        let every_byte: Vec<u8> = (0..=255).cycle().take(3000).collect();
        let long_line = vec![b'x'; 3 * MAX_KEYS_LEN];
        let full_line = [&long_line[..MAX_KEYS_LEN], b"\nrest\n"].concat();
        for input in [
            &b""[..],
            b"a",
            b"a\n",
            b"\n\n",
            b"\x04\n",
            &every_byte,
            &long_line,
            &full_line,
        ] {
            for chunk_len in [1, 7, 4000, usize::MAX] {
                assert_eq!(read_by_program(input, chunk_len), input);
            }
        }
    }
}
