//! A private key that is typed line by line: no single line shows that it is part of a secret.

use crate::redact::rules::pem;
use serde::{Deserialize, Serialize};

/// Minimum length of a key's first line, in bytes: a shorter one may be a command.
pub(super) const MIN_LINE_BYTES: usize = 16;

/// Follows typed lines from the `BEGIN` of a private key to its `END`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeyLines {
    /// Bytes of the open key so far.
    open: Option<usize>,
    has_lines: bool,
}

impl KeyLines {
    /// Takes the lines of an input; returns whether some belong to a key that started in an earlier input.
    /// A key that starts in this input is found by its `BEGIN` line. `is_part`: the last line goes on in the next input.
    pub(super) fn take(&mut self, lines: &[String], is_part: bool) -> bool {
        let was_open = self.open.is_some();
        let mut has_key = false;
        for (index, line) in lines.iter().enumerate() {
            has_key |= self.take_line(line, is_part && index + 1 == lines.len());
        }
        was_open && has_key
    }

    fn take_line(&mut self, line: &str, is_part: bool) -> bool {
        let len = self.open.map_or(0, |len| len + line.len());
        let is_long = self.has_lines || is_part || line.len() >= MIN_LINE_BYTES;
        let is_key = pem::is_header(line) || is_body(line) && is_long;
        if self.open.is_some() && is_key && len <= pem::MAX_BLOCK_BYTES {
            self.open = Some(len);
            self.has_lines = true;
            return true;
        }
        // A variable may stand before it.
        let begin = line.rfind("-----BEGIN ").map(|at| &line.as_bytes()[at..]);
        let begins = begin.filter(|begin| pem::begin_len(begin) == Some(begin.len()));
        *self = Self {
            open: begins.map(|_| 0),
            has_lines: false,
        };
        false
    }
}

fn is_body(line: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    line.bytes().all(is_base64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(lines: &[&str]) -> Vec<bool> {
        let mut key = KeyLines::default();
        lines
            .iter()
            .map(|&line| key.take(&[line.to_owned()], false))
            .collect()
    }

    #[test]
    fn the_lines_between_begin_and_end_are_a_key() {
        let full = "Ab1Cd2Ef3Gh4Ij5K".repeat(4);
        let lines = [
            "cat > key",
            "-----BEGIN RSA PRIVATE KEY-----",
            "Version: 3",
            &full,
            &full,
            "abc=",
            "-----END RSA PRIVATE KEY-----",
            &full,
        ];
        let secret = [false, false, true, true, true, true, false, false];
        assert_eq!(taken(&lines), secret);
        let set = "export KEY='-----BEGIN EC PRIVATE KEY-----";
        assert_eq!(taken(&[set, &full, "ab/="]), [false, true, true]);
    }

    #[test]
    fn a_text_that_only_mentions_a_key_starts_none() {
        let full = "Ab1Cd2Ef3Gh4Ij5K".repeat(4);
        let begin = "-----BEGIN PRIVATE KEY-----";
        assert_eq!(
            taken(&[&format!("grep -e '{begin}' file"), &full]),
            [false; 2]
        );
        assert_eq!(taken(&[begin, "ls", &full]), [false; 3]);
        assert_eq!(taken(&["-----BEGIN CERTIFICATE-----", &full]), [false; 2]);
    }
}
