//! Which programs are coding agents, and the marks on their screens.

use regex::Regex;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const KNOWN: &str = include_str!("programs.txt");

/// The name of Claude Code in the table.
pub const CLAUDE: &str = "claude";

/// An entry of the table, as the configuration has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramEntry {
    pub name: String,
    /// Names of its executables; none: its own name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub executables: Vec<String>,
    #[serde(default)]
    pub works: Option<String>,
    #[serde(default)]
    pub asks: Option<String>,
}

/// Marks on a screen, each in one line.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    pub(crate) works: Option<Regex>,
    pub(crate) asks: Option<Regex>,
}

#[derive(Debug)]
pub struct Program {
    pub name: String,
    pub marks: Marks,
}

/// The table by the names of executables.
#[derive(Debug, Default)]
pub struct Programs(BTreeMap<String, Arc<Program>>);

impl Programs {
    /// Adds entries to those that are known; one with the same name replaces it.
    ///
    /// # Errors
    ///
    /// The name of the entry whose mark is not a regular expression, and why.
    pub fn with(entries: &[ProgramEntry]) -> Result<Self, (String, String)> {
        let mut table = BTreeMap::new();
        let known = known();
        let is_replaced = |one: &&ProgramEntry| entries.iter().any(|other| other.name == one.name);
        let kept = known.iter().filter(|one| !is_replaced(one));
        for entry in kept.chain(entries) {
            let compiled = |mark: &Option<String>| mark.as_deref().map(Regex::new).transpose();
            // The lines before the last one draw where the mistake is.
            let failed = |error: regex::Error| {
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default();
                (entry.name.clone(), why.trim_start_matches("error: ").into())
            };
            let program = Arc::new(Program {
                name: entry.name.clone(),
                marks: Marks {
                    works: compiled(&entry.works).map_err(failed)?,
                    asks: compiled(&entry.asks).map_err(failed)?,
                },
            });
            let own_name = std::slice::from_ref(&entry.name);
            let executables = match &entry.executables[..] {
                [] => own_name,
                names => names,
            };
            for executable in executables {
                table.insert(executable.clone(), Arc::clone(&program));
            }
        }
        Ok(Self(table))
    }

    /// Returns the agent that an executable is; a path counts by its last part.
    #[must_use]
    pub fn of_executable(&self, executable: &str) -> Option<&Arc<Program>> {
        let name = Path::new(executable).file_name()?.to_str()?;
        self.0.get(name)
    }

    /// Returns the agent with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Arc<Program>> {
        self.0.values().find(|program| program.name == name)
    }
}

fn known() -> Vec<ProgramEntry> {
    let mut entries: Vec<ProgramEntry> = Vec::new();
    for line in KNOWN.lines().filter(|line| !line.starts_with('#')) {
        match (line.trim_start().split_once(' '), entries.last_mut()) {
            (Some(("works", mark)), Some(entry)) => entry.works = Some(mark.into()),
            (Some(("asks", mark)), Some(entry)) => entry.asks = Some(mark.into()),
            (Some((name, executables)), _) => entries.push(ProgramEntry {
                name: name.trim_end_matches(':').into(),
                executables: executables.split(' ').map(str::to_owned).collect(),
                ..ProgramEntry::default()
            }),
            (None, _) => {}
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_programs_are_found_and_can_be_replaced() {
        let none = Programs::with(&[]).unwrap();
        for (executable, name) in [
            ("/usr/bin/claude", "claude"),
            ("codex", "codex"),
            ("aider", "aider"),
        ] {
            let program = none.of_executable(executable);
            assert_eq!(program.map(|one| &*one.name), Some(name), "{executable}");
        }
        assert!(none.of_executable("bash").is_none());
        let entry = |works: &str| ProgramEntry {
            name: "codex".into(),
            executables: vec!["codex-next".into()],
            works: Some(works.into()),
            asks: None,
        };
        let own = Programs::with(&[entry("busy")]).unwrap();
        assert!(own.of_executable("codex").is_none());
        assert!(
            own.of_executable("codex-next")
                .unwrap()
                .marks
                .works
                .is_some()
        );
        assert_eq!(Programs::with(&[entry("(")]).unwrap_err().0, "codex");
    }
}
