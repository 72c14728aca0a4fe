//! Whether secrets are removed from what a user may want to keep exact: tapes and the interaction log.

use std::sync::LazyLock;

/// Variable in the daemon's environment that switches off redaction of tapes and of the interaction log.
const VARIABLE: &str = "CLAUDECONTROL_REDACT";

/// Returns whether secrets are removed from the tape and the interaction log of a session.
/// A request takes precedence over the daemon's environment. Everything else, such as results of jobs and program
/// configurations, is always redacted.
pub fn is_on(requested: Option<bool>) -> bool {
    static BY_ENVIRONMENT: LazyLock<bool> =
        LazyLock::new(|| !std::env::var(VARIABLE).is_ok_and(|value| says_off(&value)));
    requested.unwrap_or(*BY_ENVIRONMENT)
}

fn says_off(value: &str) -> bool {
    ["0", "false", "off"]
        .iter()
        .any(|word| value.trim().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_for_off_turn_it_off() {
        for off in ["0", "false", "False", "OFF"] {
            assert!(says_off(off), "{off}");
        }
        for on in ["", "1", "true", "no", "00"] {
            assert!(!says_off(on), "{on}");
        }
        assert!(is_on(Some(true)) && !is_on(Some(false)));
    }
}
