//! A private key that is typed line by line: no line of it alone has a sign of being a secret.

use super::view::readable;
use crate::redact::rules::pem;
use serde::{Deserialize, Serialize};

/// A shorter line begins no key: it may be a command.
const MIN_LINE_BYTES: usize = 16;

/// Follows typed lines from the `BEGIN` of a private key to its `END`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::redact) struct KeyLines {
    /// Bytes of the open key.
    open: Option<usize>,
    has_lines: bool,
}

impl KeyLines {
    /// Takes the lines of a whole input; true when there are some of a key that an earlier one has begun.
    ///
    /// What begins in the input itself is a secret that shows.
    pub(in crate::redact) fn take(&mut self, lines: &[String]) -> bool {
        let was_open = self.open.is_some();
        let mut has_key = false;
        for line in lines {
            has_key |= self.take_line(line);
        }
        was_open && has_key
    }

    fn take_line(&mut self, line: &str) -> bool {
        let len = self.open.map_or(0, |len| len + line.len());
        let is_key = self.has_lines || line.len() >= MIN_LINE_BYTES;
        if self.open.is_some() && is_body(line) && is_key && len <= pem::MAX_BLOCK_BYTES {
            self.open = Some(len);
            self.has_lines = true;
            return true;
        }
        let begins = pem::begin_len(line.as_bytes()) == Some(line.len());
        *self = Self {
            open: begins.then_some(0),
            has_lines: false,
        };
        false
    }
}

fn is_body(line: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    line.bytes().all(is_base64) || line.starts_with("Proc-Type:") || line.starts_with("DEK-Info:")
}

/// The longest texts in output that may be lines of a key.
pub fn key_lines(output: &[u8]) -> Vec<String> {
    let text = readable(output.to_vec());
    let is_other = |c: char| !(c.is_ascii_alphanumeric() || "+/=".contains(c));
    let words = text.split(is_other);
    words
        .filter(|word| word.len() >= MIN_LINE_BYTES)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(lines: &[&str]) -> Vec<bool> {
        let mut key = KeyLines::default();
        lines
            .iter()
            .map(|&line| key.take(&[line.to_owned()]))
            .collect()
    }

    #[test]
    fn the_lines_between_begin_and_end_are_a_key() {
        let full = "Ab1Cd2Ef3Gh4Ij5K".repeat(4);
        let lines = [
            "cat > key",
            "-----BEGIN RSA PRIVATE KEY-----",
            "Proc-Type: 4,ENCRYPTED",
            &full,
            &full,
            "abc=",
            "-----END RSA PRIVATE KEY-----",
            &full,
        ];
        let secret = [false, false, true, true, true, true, false, false];
        assert_eq!(taken(&lines), secret);
    }

    #[test]
    fn what_only_names_a_key_begins_none() {
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
