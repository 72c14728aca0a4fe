//! What was typed hidden: no tape has it where it is typed again.

use super::finish::MIN_HIDDEN_BYTES;
use std::collections::VecDeque;

/// Texts that are remembered, the last ones.
const MAX_SECRETS: usize = 16;

/// Of one of them, so much.
const MAX_SECRET_BYTES: usize = 4096;

#[derive(Debug, Clone, Default)]
pub(super) struct Secrets(VecDeque<String>);

/// Whether an input has a text that was typed hidden before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    No,
    /// It ends with the begin of one.
    MayBe,
    Yes,
}

impl Secrets {
    pub(super) fn of(texts: Vec<String>) -> Self {
        Self(texts.into())
    }

    pub(super) fn texts(&self) -> Vec<String> {
        self.0.iter().cloned().collect()
    }

    /// Remembers what was typed hidden; `goes_on`: behind the last of it.
    pub(super) fn remember(&mut self, typed: &[u8], goes_on: bool) {
        let text = String::from_utf8_lossy(typed);
        match self.0.back_mut() {
            Some(last) if goes_on && last.len() + text.len() <= MAX_SECRET_BYTES => {
                last.push_str(&text);
            }
            _ => {
                if self.0.len() == MAX_SECRETS {
                    self.0.pop_front();
                }
                self.0.push_back(text.into_owned());
            }
        }
    }

    /// Whether one of them is typed again.
    pub(super) fn again(&self, raw: &[u8]) -> Again {
        let lines = self.0.iter().flat_map(|text| text.split(['\r', '\n']));
        let mut found = Again::No;
        for secret in lines.map(str::as_bytes) {
            if secret.len() < MIN_HIDDEN_BYTES {
                continue;
            }
            if memchr::memmem::find(raw, secret).is_some() {
                return Again::Yes;
            }
            let mut begins = MIN_HIDDEN_BYTES - 1..secret.len();
            if begins.any(|len| raw.ends_with(&secret[..len])) {
                found = Again::MayBe;
            }
        }
        found
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
        assert_eq!(Secrets::of(secrets.texts()).again(b"Correct9"), Again::Yes);
    }

    #[test]
    fn only_the_last_ones_are_remembered_and_no_flood_of_keys() {
        let mut secrets = Secrets::default();
        for number in 0..100 {
            secrets.remember(format!("secret-{number:03}").as_bytes(), false);
        }
        assert_eq!(secrets.texts().len(), MAX_SECRETS);
        for _ in 0..10_000 {
            secrets.remember(b"key", true);
        }
        assert!(
            secrets
                .texts()
                .iter()
                .all(|text| text.len() <= MAX_SECRET_BYTES)
        );
    }
}
