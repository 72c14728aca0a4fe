//! A check: what was looked at, and whether it is right.

use crate::render::{Colour, Style, printable};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CheckState {
    Ok,
    /// Worth knowing, but nothing is broken.
    Warning,
    Wrong,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    pub(crate) name: String,
    pub(crate) state: CheckState,
    /// What was found and, unless it is good, what to do.
    pub(crate) text: String,
}

impl Check {
    pub(crate) fn ok(name: &str, text: impl Into<String>) -> Self {
        Self::of(name, CheckState::Ok, text)
    }

    pub(crate) fn warning(name: &str, text: impl Into<String>) -> Self {
        Self::of(name, CheckState::Warning, text)
    }

    pub(crate) fn wrong(name: &str, text: impl Into<String>) -> Self {
        Self::of(name, CheckState::Wrong, text)
    }

    fn of(name: &str, state: CheckState, text: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            state,
            text: text.into(),
        }
    }
}

pub(crate) fn all_good(checks: &[Check]) -> bool {
    checks.iter().all(|check| check.state != CheckState::Wrong)
}

pub(crate) fn write(checks: &[Check], out: &mut dyn Write, style: Style) -> io::Result<()> {
    let name_len = checks
        .iter()
        .map(|check| check.name.len())
        .max()
        .unwrap_or(0);
    for check in checks {
        let mark = match check.state {
            CheckState::Ok => style.paint(Colour::Good, "✓"),
            CheckState::Warning => style.paint(Colour::Notice, "!"),
            CheckState::Wrong => style.paint(Colour::Bad, "✗"),
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
            Check::ok("a", "fine"),
            Check::warning("long", "x"),
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
