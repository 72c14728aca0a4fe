//! Secrets that are typed line by line, where no single line shows that it is one: private keys and a `.netrc`.

use super::key_lines::{self, KeyLines};
use super::known::is_mixed;
use super::netrc_lines::NetrcLines;
use super::view::readable;
use crate::expect::clean_lossy;
use serde::{Deserialize, Serialize};

/// Minimum length of a text that is masked in output, in bytes.
const MIN_LINE_BYTES: usize = 4;

/// Follows typed inputs across the lines of a secret.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TypedLines {
    key: KeyLines,
    netrc: NetrcLines,
}

/// The lines of an input that continue a secret.
#[derive(Debug, PartialEq, Eq)]
pub struct SecretLines {
    pub is_private_key: bool,
    /// The texts to mask wherever a program prints them.
    pub texts: Vec<String>,
}

impl TypedLines {
    /// Takes an input; returns its lines if they continue a secret from an earlier input.
    /// If a secret starts in this input, rules recognise it. `is_part`: the last line goes on in the next input.
    pub fn take(&mut self, typed: &[u8], is_part: bool) -> Option<SecretLines> {
        let lines = lines(typed);
        let passwords = self.netrc.take(&lines);
        let is_private_key = self.key.take(&lines, is_part);
        if !is_private_key && passwords.is_empty() {
            return None;
        }
        let of_key = lines.into_iter().filter(|_| is_private_key);
        let texts = passwords.into_iter().chain(of_key);
        let is_known = |text: &String| text.len() >= MIN_LINE_BYTES && is_mixed(text);
        Some(SecretLines {
            is_private_key,
            texts: texts.filter(is_known).collect(),
        })
    }

    /// Returns the words in output that are long enough to be lines of a key.
    pub fn keys_in_output(output: &[u8]) -> Vec<String> {
        let text = readable(output.to_vec());
        let is_other = |c: char| !(c.is_ascii_alphanumeric() || "+/=".contains(c));
        let words = text.split(is_other);
        words
            .filter(|word| word.len() >= key_lines::MIN_LINE_BYTES)
            .map(str::to_owned)
            .collect()
    }
}

/// Returns the lines that contain text, without control characters and quotation marks (`>`).
fn lines(typed: &[u8]) -> Vec<String> {
    let lines = typed.split(|byte| matches!(byte, b'\r' | b'\n'));
    let lines = lines.map(|line| {
        let text = clean_lossy(line, encoding_rs::UTF_8);
        text.trim_start_matches(['>', ' ', '\t']).trim().to_owned()
    });
    lines.filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";

    /// Returns for each input whether it continues a secret, and the texts to mask.
    fn taken(inputs: &[&str]) -> Vec<Option<Vec<String>>> {
        let mut lines = TypedLines::default();
        let taken = inputs.iter().map(|input| {
            let taken = lines.take(input.as_bytes(), !input.ends_with(['\r', '\n']));
            taken.map(|taken| taken.texts)
        });
        taken.collect()
    }

    #[test]
    fn a_key_is_recognised_whatever_surrounds_its_lines() {
        let body = "Ab1Cd2Ef3Gh4Ij5K".repeat(4);
        for (before, after) in [
            ("", "\r\n"),
            ("", "\u{16}\r\n"),
            ("\u{1}", "\n"),
            ("\u{16}\u{1}", "\n"),
            ("", "\0\n"),
            ("\u{1b}[1m", "\u{1b}[0m\n"),
            ("> ", "\n"),
            (">> ", "\r"),
            ("\u{1b}[200~", "\u{1b}[201~\r"),
        ] {
            let input = |line: &str| format!("{before}{line}{after}");
            let (begin, full, last) = (input(BEGIN), input(&body), input("Zz9=aB"));
            let end = input("-----END PRIVATE KEY-----");
            let (body, rest) = (Some(vec![body.clone()]), Some(vec!["Zz9=aB".into()]));
            let found = taken(&[&begin, &full, &last, &end]);
            assert_eq!(found, [None, body, rest, None], "{before:?} {after:?}");
        }
    }

    #[test]
    fn parts_of_a_line_of_a_key_belong_to_it() {
        let part = |text: &str| Some(vec![text.to_owned()]);
        let begin = format!("{BEGIN}\n");
        let found = taken(&[&begin, "Ab1Cd2Ef", "3Gh4Ij5K\n", "ls -l\n", "Ab1Cd2Ef"]);
        assert_eq!(
            found,
            [None, part("Ab1Cd2Ef"), part("3Gh4Ij5K"), None, None]
        );
    }

    #[test]
    fn the_password_of_an_entry_that_was_started_is_a_secret() {
        let password = |text: &str| Some(vec![text.to_owned()]);
        let found = taken(&[
            "machine h\n",
            "  login u\n",
            "  password netrcQQ77\n",
            "ls\n",
        ]);
        assert_eq!(found, [None, None, password("netrcQQ77"), None]);
        let found = taken(&["machine h login u password\r", "netrcQQ77\r"]);
        assert_eq!(found, [None, password("netrcQQ77")]);
        let found = taken(&["default\n", "# mine\n", "\n", "password abc-1\nmachine h\n"]);
        assert_eq!(found, [None, None, None, password("abc-1")]);
        // A plain word is hidden in its own line only.
        assert_eq!(taken(&["machine h", "password test"]), [None, Some(vec![])]);
        for innocent in [
            &["machine h login u password x1\n", "ls -l\n"][..],
            &["machine learning is fun\n", "password policy\n"],
            &["the machine\n", "password hunter2\n"],
            &["machine h\n", "password\n", "***\n"],
            &["machine h\n", "ls\n", "password hunter2\n"],
        ] {
            assert!(taken(innocent).iter().all(Option::is_none), "{innocent:?}");
        }
    }
}
