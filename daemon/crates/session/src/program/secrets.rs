//! Secrets that a user wrote into a configuration.

use super::error::Mistake;
use ccd_protocol::program::ProgramConfig;
use ccd_text::redact::{Values, redact, redact_values};

/// Rejects secrets that would be saved as plain text, except in the sample of output: see [`redact_sample`].
pub fn refuse_secrets(config: &ProgramConfig) -> Result<(), Mistake> {
    let without_sample = ProgramConfig {
        sample_output: Vec::new(),
        ..config.clone()
    };
    // Cannot fail: all keys are strings.
    let mut document = serde_json::to_value(without_sample).unwrap_or_default();
    let secrets = redact_values(Values::Document(&mut document));
    match secrets.into_iter().next() {
        None => Ok(()),
        Some(secret) => Err(Mistake::at(
            secret.place,
            "it contains what looks like a secret, and secrets are not saved: use a {placeholder}, or the response {\"secret\": {\"env\": \"NAME\"}}",
        )),
    }
}

/// Redacts the secrets in the sample of output; returns how many there were.
pub(super) fn redact_sample(config: &mut ProgramConfig) -> usize {
    // As one text, because some secrets span several lines.
    let sample = config.sample_output.join("\n");
    let redacted = redact(&sample);
    if redacted.removed > 0 {
        config.sample_output = redacted.text.split('\n').map(str::to_owned).collect();
    }
    redacted.removed
}

pub fn asks_for_secret(prompt: &str) -> bool {
    let prompt = prompt.to_ascii_lowercase();
    let mut words = prompt.split(|c: char| !c.is_ascii_alphanumeric());
    [
        "passw",
        "assword",
        "passphrase",
        "passcode",
        "secret",
        "token",
    ]
    .iter()
    .any(|part| prompt.contains(part))
        || words.any(|word| matches!(word, "pin" | "otp"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_for_secrets_are_told_from_others() {
        for prompt in [
            "Password:",
            "Enter PIN: ",
            "(?i)password|passphrase",
            "OTP> ",
            "[Pp]assword.*: ",
        ] {
            assert!(asks_for_secret(prompt), "{prompt}");
        }
        for prompt in ["login:", "spinning", "Name? "] {
            assert!(!asks_for_secret(prompt), "{prompt}");
        }
    }

    #[test]
    fn a_sample_keeps_its_lines_without_secrets() {
        let mut config = ProgramConfig {
            sample_output: vec!["a".into(), "password=hunter2hunter2".into(), String::new()],
            ..ProgramConfig::default()
        };
        assert_eq!(redact_sample(&mut config), 1);
        assert_eq!(config.sample_output, ["a", "password=***", ""]);
        assert_eq!(redact_sample(&mut config), 0);
    }
}
