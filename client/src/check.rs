//! Checks: what was looked at, and whether it is right, as `checks.txt` judges the facts.

use crate::render::{Colour, Printer, filled_whole};
use crate::typed::typed;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use std::path::Path;

/// Below the name of each check, and perhaps a part of it after a slash, lines with a state and a template. The first template
/// without an empty value is reported; if there is none, nothing is.
const CHECKS: &str = include_str!("checks.txt");

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CheckState {
    Wrong,
    /// Worth knowing, but nothing is broken.
    Warning,
    Ok,
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

/// Returns a path as a text for facts, which are JSON.
pub(crate) fn shown(path: impl AsRef<Path>) -> String {
    // One that is not UTF-8 has no form in JSON.
    path.as_ref().display().to_string()
}

/// Judges facts, or each of a list of them.
pub(crate) fn checks(name: &str, facts: Value) -> Vec<Check> {
    let all = match facts {
        Value::Array(all) => all,
        one => vec![one],
    };
    let known = all.into_iter().filter(Value::is_object);
    known.filter_map(|facts| Check::of(name, facts)).collect()
}

impl Check {
    fn of(name: &str, mut facts: Value) -> Option<Self> {
        facts["ccctl"] = env!("CARGO_PKG_VERSION").into();
        let mut lines = section(name)?.lines();
        lines.find_map(|line| {
            let (state, template) = line.split_once(' ')?;
            Some(Self {
                text: filled_whole(template, &facts)?,
                name: name.split('/').next().unwrap_or(name).to_owned(),
                state: typed(&state.into()).ok()?,
            })
        })
    }

    pub(crate) fn named(self, name: &str) -> Self {
        let name = name.to_owned();
        Self { name, ..self }
    }
}

fn section(name: &str) -> Option<&'static str> {
    let mut sections = CHECKS.split("\n# ").skip(1);
    sections.find_map(|section| section.strip_prefix(name)?.strip_prefix('\n'))
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
        let (name, text) = (&check.name, &check.text);
        writeln!(out, "{mark} {name:name_len$}  {text}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;
    use serde_json::json;

    #[test]
    fn each_check_has_a_line_with_its_mark() {
        let found = [
            checks("config", json!({"ok": "fine"})),
            checks("config", json!([null, {"warning": "x"}])),
            checks("databases", json!({"path": "bad", "problem": "a\nb"})),
            checks("claude", json!({})),
            checks("coach", json!({})),
        ];
        let found = found.concat();
        let text = printed(|out| write(&found, out));
        let start = "✓ config     fine\n! config     x\n✗ databases  bad: a";
        assert!(text.starts_with(start), "{text}");
        assert!(text.contains("\n- claude     not on PATH"), "{text}");
        assert_eq!(text.lines().count(), 4);
        assert!(all_good(&found[..2]) && !all_good(&found));
    }

    #[test]
    fn every_line_has_a_state() {
        for section in CHECKS.split("\n\n").skip(1) {
            for line in section.lines().skip(1) {
                let state = line.split(' ').next().unwrap_or_default();
                assert!(typed::<CheckState>(&state.into()).is_ok(), "{line}");
            }
        }
    }
}
