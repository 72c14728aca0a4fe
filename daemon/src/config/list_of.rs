//! Keys whose value is a list.

use super::setting::Setting;
use ccd_agents::{ProgramEntry, Programs};
use ccd_protocol::tape::Decorator;
use ccd_tape::decorate::{Decorators, MAX_DECORATORS};
use ccd_text::redact::{MAX_RULE_BYTES, MAX_RULES, UserRules};
use serde_json::Value;
use std::path::PathBuf;

/// Maximum number of entries in a list of names or arguments.
const MAX_ENTRIES: usize = 256;

const MAX_FOLDERS: usize = 64;

const MAX_HOSTS: usize = 32;

/// When a session memory is saved without being asked for.
pub(super) const SAVE_MOMENTS: [&str; 2] = ["pre_compact", "session_end"];

/// Maximum length of an entry, in bytes.
const MAX_ENTRY_BYTES: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListOf {
    /// Names of environment variables, or prefixes followed by `*`.
    Variables,
    /// Indices, exact texts, and regular expressions between slashes.
    Arguments,
    Rules,
    Folders,
    Decorators,
    /// Words of [`SAVE_MOMENTS`].
    SaveMoments,
    /// Names of programs, absolute paths, or `*`.
    Programs,
    AgentPrograms,
    Hosts,
    /// A program and its arguments.
    Words,
}

impl ListOf {
    pub(super) fn max(self) -> usize {
        match self {
            ListOf::Variables
            | ListOf::Arguments
            | ListOf::Programs
            | ListOf::AgentPrograms
            | ListOf::Words => MAX_ENTRIES,
            ListOf::Hosts => MAX_HOSTS,
            ListOf::Rules => MAX_RULES,
            ListOf::Folders => MAX_FOLDERS,
            ListOf::Decorators => MAX_DECORATORS,
            ListOf::SaveMoments => SAVE_MOMENTS.len(),
        }
    }

    /// Returns the allowed entries, for listings.
    pub(super) fn range(self) -> String {
        let max = self.max();
        match self {
            ListOf::Variables => format!("at most {max} names, each may end with *"),
            ListOf::Arguments => {
                format!("at most {max} indices (from 0), exact texts, or /regex/")
            }
            ListOf::Rules => {
                format!("at most {max} regular expressions of at most {MAX_RULE_BYTES} bytes")
            }
            ListOf::Folders => format!("at most {max} absolute paths"),
            ListOf::SaveMoments => SAVE_MOMENTS.join(", "),
            ListOf::Programs => {
                format!("at most {max} names of programs or absolute paths, or * for all")
            }
            ListOf::AgentPrograms => {
                format!("at most {max} objects with name, executables, works and asks")
            }
            ListOf::Words => format!("at most {max} words"),
            ListOf::Hosts => format!("at most {max} hosts, such as ssh://build1"),
            ListOf::Decorators => format!(
                "at most {max} objects with on (input, output or tape) and either replace and with, or filter"
            ),
        }
    }

    /// Returns the first invalid entry: its position in the list, what it must be, and the reason if that is not
    /// obvious.
    pub(super) fn first_wrong(self, entries: &[Value]) -> Option<(usize, String)> {
        let mut entries = entries.iter().enumerate();
        entries.find_map(|(index, entry)| Some((index, self.must_be(entry)?)))
    }

    fn must_be(self, entry: &Value) -> Option<String> {
        let text = entry.as_str();
        let is_short = text.is_some_and(|text| text.len() <= MAX_ENTRY_BYTES);
        let (is_valid, expected) = match self {
            ListOf::Variables => (
                is_short && text.is_some_and(is_variable),
                "the name of a variable, or its first letters and *",
            ),
            ListOf::Arguments => (is_short || entry.is_u64(), "a whole number or a string"),
            ListOf::Folders => (
                is_short && PathBuf::from_json(entry).is_some(),
                "an absolute path",
            ),
            ListOf::SaveMoments => (
                text.is_some_and(|text| SAVE_MOMENTS.contains(&text)),
                "pre_compact or session_end",
            ),
            ListOf::Programs => (
                is_short && text.is_some_and(is_program),
                "the name of a program, an absolute path, or *",
            ),
            ListOf::Words => (
                is_short && text.is_some_and(|text| !text.contains('\0')),
                "a word",
            ),
            ListOf::Hosts => (
                is_short && text.is_some_and(is_host),
                "a host, such as ssh://build1",
            ),
            ListOf::AgentPrograms => {
                let why = match serde_json::from_value::<ProgramEntry>(entry.clone()) {
                    Ok(entry) => Programs::with(&[entry]).err()?.1,
                    Err(error) => error.to_string(),
                };
                return Some(format!("a program ({why})"));
            }
            ListOf::Decorators => {
                let why = match serde_json::from_value::<Decorator>(entry.clone()) {
                    Ok(decorator) => Decorators::new(&[decorator]).err()?.reason(),
                    Err(error) => error.to_string(),
                };
                return Some(format!("a decorator ({why})"));
            }
            ListOf::Rules => {
                let Some(text) = text else {
                    return Some("a regular expression as a string".to_owned());
                };
                let why = UserRules::new(&[text.to_owned()]).err()?.reason();
                return Some(format!("a regular expression ({why})"));
            }
        };
        (!is_valid).then(|| expected.to_owned())
    }
}

fn is_variable(name: &str) -> bool {
    let begin = name.strip_suffix('*').unwrap_or(name);
    !name.is_empty() && !begin.contains(['*', '=', '\0', ' '])
}

fn is_host(url: &str) -> bool {
    let schemes = ["ssh://", "docker://", "k8s://"].iter();
    let mut names = schemes.filter_map(|scheme| url.strip_prefix(scheme));
    names.any(|name| !name.is_empty() && !name.starts_with('-'))
}

/// Returns whether it can be the name of a program, or an absolute path.
pub(super) fn is_program(name: &str) -> bool {
    let is_path = name.starts_with('/');
    let is_name = !name.is_empty() && !name.contains('/');
    (is_path || is_name) && !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_wrong_entry_is_told_with_its_reason() {
        let wrong = |list: ListOf, entries: Value| list.first_wrong(entries.as_array().unwrap());
        assert_eq!(wrong(ListOf::Variables, json!(["A", "LC_*", "*"])), None);
        assert_eq!(wrong(ListOf::Arguments, json!([0, "a", "/b.*/"])), None);
        assert_eq!(wrong(ListOf::Rules, json!(["PIN ([0-9]+)"])), None);
        let decorator = json!({"on": "output", "replace": "a+", "with": "b"});
        assert_eq!(wrong(ListOf::Decorators, json!([decorator])), None);
        for (list, entries, index) in [
            (
                ListOf::Decorators,
                json!([decorator, {"on": "output", "replace": "a"}]),
                1,
            ),
            (
                ListOf::Decorators,
                json!([{"on": "input", "replace": "(", "with": ""}]),
                0,
            ),
            (
                ListOf::Decorators,
                json!([{"on": "screen", "filter": ["cat"]}]),
                0,
            ),
            (ListOf::Variables, json!(["A", "A*B"]), 1),
            (ListOf::Variables, json!([""]), 0),
            (ListOf::Variables, json!([1]), 0),
            (ListOf::Folders, json!(["/a", "~/b"]), 1),
            (ListOf::SaveMoments, json!(["session_end", "stop"]), 1),
            (ListOf::Programs, json!(["*", "gdb", "/bin/sh", "./a"]), 3),
            (ListOf::Arguments, json!([0, -1]), 1),
            (ListOf::Arguments, json!([["a"]]), 0),
            (ListOf::Rules, json!(["a", "(b"]), 1),
            (ListOf::Rules, json!([null]), 0),
        ] {
            assert_eq!(
                wrong(list, entries.clone()).map(|wrong| wrong.0),
                Some(index),
                "{entries}"
            );
        }
        let (_, why) = wrong(ListOf::Rules, json!(["(b"])).unwrap();
        assert_eq!(why, "a regular expression (unclosed group)");
    }
}
