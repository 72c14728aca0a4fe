//! What was typed hidden, and what is known for a secret by its name: no tape has it where it is typed again.

use super::finish::MIN_HIDDEN_BYTES;
use crate::redact::{is_distinctive, redact_typed};
use std::collections::VecDeque;

/// Hidden texts that are remembered, the last ones.
const MAX_SECRETS: usize = 16;

/// Of one of them, so much.
const MAX_SECRET_BYTES: usize = 4096;

/// Lines that were recognised and are remembered, the last ones.
const MAX_RECOGNISED: usize = 64;

#[derive(Debug, Clone, Default)]
pub(super) struct Secrets {
    hidden: VecDeque<String>,
    /// Single lines, which no word of a language is.
    recognised: VecDeque<String>,
}

/// Whether an input has a text that was typed hidden before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    No,
    /// It ends with the begin of one.
    MayBe,
    Yes,
}

impl Secrets {
    pub(super) fn of(hidden: Vec<String>, recognised: Vec<String>) -> Self {
        Self {
            hidden: hidden.into(),
            recognised: recognised.into(),
        }
    }

    pub(super) fn hidden(&self) -> Vec<String> {
        self.hidden.iter().cloned().collect()
    }

    pub(super) fn recognised(&self) -> Vec<String> {
        self.recognised.iter().cloned().collect()
    }

    /// Remembers what was typed hidden; `goes_on`: behind the last of it.
    pub(super) fn remember(&mut self, typed: &[u8], goes_on: bool) {
        let text = String::from_utf8_lossy(typed);
        match self.hidden.back_mut() {
            Some(last) if goes_on && last.len() + text.len() <= MAX_SECRET_BYTES => {
                last.push_str(&text);
            }
            _ => {
                if self.hidden.len() == MAX_SECRETS {
                    self.hidden.pop_front();
                }
                self.hidden.push_back(text.into_owned());
            }
        }
    }

    /// Remembers what a rule has found, if it is no word that may stand anywhere.
    pub(super) fn recognise(&mut self, texts: &[String]) {
        let lines = texts.iter().flat_map(|text| text.lines()).map(str::trim);
        for line in lines.filter(|line| is_distinctive(line)) {
            self.add(line.to_owned());
        }
    }

    /// Remembers a line of a secret of several ones.
    pub(super) fn add(&mut self, line: String) {
        if line.len() > MAX_SECRET_BYTES || self.recognised.contains(&line) {
            return;
        }
        if self.recognised.len() == MAX_RECOGNISED {
            self.recognised.pop_front();
        }
        self.recognised.push_back(line);
    }

    /// Whether one of them is typed again. What a rule takes out of the input needs no more than that.
    pub(super) fn again(&self, raw: &[u8]) -> Again {
        let has = |raw: &[u8], secret: &str| memchr::memmem::find(raw, secret.as_bytes()).is_some();
        if self.hidden_lines().any(|secret| has(raw, secret)) {
            return Again::Yes;
        }
        if self.recognised.iter().any(|secret| has(raw, secret)) {
            let (clean, _) = redact_typed(raw);
            if self.recognised.iter().any(|secret| has(&clean, secret)) {
                return Again::Yes;
            }
        }
        let recognised = self.recognised.iter().map(String::as_str);
        let mut all = self.hidden_lines().chain(recognised).map(str::as_bytes);
        let is_begun = all.any(|secret| {
            let mut begins = MIN_HIDDEN_BYTES - 1..secret.len();
            begins.any(|len| raw.ends_with(&secret[..len]))
        });
        match is_begun {
            true => Again::MayBe,
            false => Again::No,
        }
    }

    fn hidden_lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.hidden.iter().flat_map(|text| text.split(['\r', '\n']));
        lines.filter(|line| line.len() >= MIN_HIDDEN_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_hidden_is_known_again_also_key_by_key() {
        let mut secrets = Secrets::default();
        for (key, goes_on) in [
            ("C", false),
            ("orrect9", true),
            ("\r", true),
            ("pin\r", false),
        ] {
            secrets.remember(key.as_bytes(), goes_on);
        }
        for (raw, again) in [
            (&b"x Correct9 y"[..], Again::Yes),
            (b"Correct9", Again::Yes),
            (b"my Corre", Again::MayBe),
            (b"Co", Again::No),
            (b"Corrosion", Again::No),
            // Too short to say anything.
            (b"pin", Again::No),
        ] {
            assert_eq!(secrets.again(raw), again, "{raw:?}");
        }
        let kept = Secrets::of(secrets.hidden(), Vec::new());
        assert_eq!(kept.again(b"Correct9"), Again::Yes);
    }

    #[test]
    fn only_the_last_ones_are_remembered_and_no_flood_of_keys() {
        let mut secrets = Secrets::default();
        for number in 0..100 {
            secrets.remember(format!("secret-{number:03}").as_bytes(), false);
        }
        assert_eq!(secrets.hidden().len(), MAX_SECRETS);
        for _ in 0..10_000 {
            secrets.remember(b"key", true);
        }
        assert!(
            secrets
                .hidden()
                .iter()
                .all(|text| text.len() <= MAX_SECRET_BYTES)
        );
    }

    #[test]
    fn what_a_rule_has_found_is_known_where_no_rule_finds_it() {
        let mut secrets = Secrets::default();
        secrets.recognise(&["Qx7hunterzz99w".into(), "production".into()]);
        for (raw, again) in [
            (&b"echo Qx7hunterzz99w\r"[..], Again::Yes),
            (b"export DB_PASSWORD=Qx7hunterzz99w\r", Again::No),
            (b"echo Qx7hun", Again::MayBe),
            (b"echo production\r", Again::No),
        ] {
            assert_eq!(secrets.again(raw), again, "{raw:?}");
        }
        for number in 0..100 {
            secrets.add(format!("secret-{number:03}"));
        }
        assert_eq!(secrets.recognised().len(), MAX_RECOGNISED);
    }
}
