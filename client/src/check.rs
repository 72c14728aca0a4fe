//! A check: what was looked at, and whether it is right.

use crate::render::{Colour, Printer, printable};
use serde::Serialize;
use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CheckState {
    Ok,
    /// Worth knowing, but nothing is broken.
    Warning,
    Wrong,
    /// Something that need not be there is not there.
    Absent,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    pub(crate) name: String,
    pub(crate) state: CheckState,
    /// What was found and, unless it is good, what to do.
    pub(crate) text: String,
}

impl Check {
    pub(crate) fn ok(text: impl Into<String>) -> Self {
        Self::found(CheckState::Ok, text)
    }

    pub(crate) fn warning(text: impl Into<String>) -> Self {
        Self::found(CheckState::Warning, text)
    }

    pub(crate) fn wrong(text: impl Into<String>) -> Self {
        Self::found(CheckState::Wrong, text)
    }

    pub(crate) fn absent(text: impl Into<String>) -> Self {
        Self::found(CheckState::Absent, text)
    }

    /// What was found; [`Self::of`] names what was looked at.
    pub(crate) fn found(state: CheckState, text: impl Into<String>) -> Self {
        Self {
            name: String::new(),
            state,
            text: text.into(),
        }
    }

    pub(crate) fn of(self, name: &str) -> Self {
        let name = name.to_owned();
        Self { name, ..self }
    }
}

pub(crate) fn all_good(checks: &[Check]) -> bool {
    checks.iter().all(|check| check.state != CheckState::Wrong)
}

pub(crate) fn write(checks: &[Check], out: &mut Printer<'_>) -> io::Result<()> {
    let name_lens = checks.iter().map(|check| check.name.len());
    let name_len = name_lens.max().unwrap_or(0);
    for check in checks {
        let mark = match check.state {
            CheckState::Ok => out.paint(Colour::Good, "✓"),
            CheckState::Warning => out.paint(Colour::Notice, "!"),
            CheckState::Wrong => out.paint(Colour::Bad, "✗"),
            CheckState::Absent => out.paint(Colour::Dim, "-"),
        };
        let (name, text) = (&check.name, printable(&check.text));
        writeln!(out, "{mark} {name:name_len$}  {text}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;

    #[test]
    fn each_check_has_a_line_with_its_mark() {
        let checks = [
            Check::ok("fine").of("a"),
            Check::warning("x").of("long"),
            Check::wrong("bad\nworse").of("b"),
            Check::absent("not there").of("c"),
        ];
        let text = printed(|out| write(&checks, out));
        assert!(
            text.starts_with("✓ a     fine\n! long  x\n✗ b     bad"),
            "{text}"
        );
        assert!(text.ends_with("\n- c     not there\n"), "{text}");
        assert_eq!(text.lines().count(), 4);
        assert!(all_good(&checks[..2]) && !all_good(&checks));
    }
}
