//! Secrets that are typed line by line, where no line alone has the sign of one: private keys and a `.netrc`.

use super::key_lines::KeyLines;
use super::known::is_mixed;
use super::netrc_lines::NetrcLines;
use crate::expect::clean_lossy;
use serde::{Deserialize, Serialize};

/// A shorter line of a key says nothing by itself.
const MIN_LINE_BYTES: usize = 4;

/// Follows what is typed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TypedLines {
    key: KeyLines,
    netrc: NetrcLines,
}

/// Of an input that goes on with a secret.
#[derive(Debug, PartialEq, Eq)]
pub struct SecretLines {
    pub is_private_key: bool,
    /// What of it goes wherever a program shows it.
    pub texts: Vec<String>,
}

impl TypedLines {
    /// Takes a whole input.
    ///
    /// A secret that begins in the input itself is one that shows.
    pub fn take(&mut self, typed: &[u8]) -> Option<SecretLines> {
        let lines = lines(typed);
        let passwords = self.netrc.take(&lines);
        let is_private_key = self.key.take(&lines);
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
}

/// The lines that have text: without control characters, and without the sign of a quotation.
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

    /// Whether each input goes on with a secret, and what of it is one.
    fn taken(inputs: &[&str]) -> Vec<Option<Vec<String>>> {
        let mut lines = TypedLines::default();
        let taken = inputs.iter().map(|input| {
            let taken = lines.take(input.as_bytes());
            taken.map(|taken| taken.texts)
        });
        taken.collect()
    }

    #[test]
    fn a_key_is_known_whatever_stands_around_its_lines() {
        let body = "Ab1Cd2Ef3Gh4Ij5K".repeat(4);
        for (before, behind) in [
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
            let input = |line: &str| format!("{before}{line}{behind}");
            let (begin, full, last) = (input(BEGIN), input(&body), input("Zz9=aB"));
            assert_eq!(
                taken(&[&begin, &full, &last, &input("-----END PRIVATE KEY-----")]),
                [
                    None,
                    Some(vec![body.clone()]),
                    Some(vec!["Zz9=aB".into()]),
                    None
                ],
                "{before:?} {behind:?}"
            );
        }
    }

    #[test]
    fn the_password_of_an_entry_that_was_begun_is_a_secret() {
        let password = |text: &str| Some(vec![text.to_owned()]);
        assert_eq!(
            taken(&[
                "machine h\n",
                "  login u\n",
                "  password netrcPassQQ77\n",
                "ls\n"
            ]),
            [None, None, password("netrcPassQQ77"), None]
        );
        assert_eq!(
            taken(&["machine h login u password\r", "netrcPassQQ77\r"]),
            [None, password("netrcPassQQ77")]
        );
        assert_eq!(
            taken(&["default\n", "# mine\n", "\n", "password abc-1\nmachine h\n"]),
            [None, None, None, password("abc-1")]
        );
        // A plain word goes with its line, and nowhere else.
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
