//! A check: what was looked at, and whether it is right.

use crate::render::{Colour, Style, printable};
use serde::Serialize;
use std::io::{self, Write};

/// Whether something is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Good,
    /// Worth knowing, but nothing is broken.
    Note,
    Wrong,
}

/// The result of a check, on one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) state: State,
    /// What was found and, unless it is good, what to do.
    pub(super) text: String,
}

impl Check {
    pub(super) fn good(name: &str, text: impl Into<String>) -> Self {
        Self::of(name, State::Good, text)
    }

    pub(super) fn note(name: &str, text: impl Into<String>) -> Self {
        Self::of(name, State::Note, text)
    }

    pub(super) fn wrong(name: &str, text: impl Into<String>) -> Self {
        Self::of(name, State::Wrong, text)
    }

    fn of(name: &str, state: State, text: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            state,
            text: text.into(),
        }
    }
}

/// True if nothing is wrong.
pub(super) fn all_good(checks: &[Check]) -> bool {
    checks.iter().all(|check| check.state != State::Wrong)
}

/// Writes one line for each check.
pub(super) fn write(checks: &[Check], out: &mut dyn Write, style: Style) -> io::Result<()> {
    let name_len = checks
        .iter()
        .map(|check| check.name.len())
        .max()
        .unwrap_or(0);
    for check in checks {
        let mark = match check.state {
            State::Good => style.paint(Colour::Good, "✓"),
            State::Note => style.paint(Colour::Notice, "!"),
            State::Wrong => style.paint(Colour::Bad, "✗"),
        };
        writeln!(
            out,
            "{mark} {:name_len$}  {}",
            check.name,
            printable(&check.text)
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_check_has_a_line_with_its_mark() {
        let checks = [
            Check::good("a", "fine"),
            Check::note("long", "x"),
            Check::wrong("b", "bad\nworse"),
        ];
        let mut out = Vec::new();
        write(&checks, &mut out, Style::default()).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with("✓ a     fine\n! long  x\n✗ b     bad"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 3);
        assert!(all_good(&checks[..2]) && !all_good(&checks));
    }
}
