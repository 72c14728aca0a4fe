//! All active patterns, ready to be searched.

use super::built_in::{BUILT_INS, ERROR_SUMMARY, HELP_LINES, PROMPT_ENDINGS};
use super::overrides::Override;
use crate::expect::LinePatterns;
use ccd_protocol::pattern::{PatternEntry, PatternOrigin, PatternType};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The patterns of all types.
/// Those of a type are compiled when they are first needed, because that takes some milliseconds, and memory that most
/// daemons never need.
pub struct Compiled {
    entries: Vec<PatternEntry>,
    /// Of each type.
    kinds: BTreeMap<PatternType, TypePatterns>,
    warnings: Vec<String>,
}

struct TypePatterns {
    /// Index of the entry and of the pattern in it.
    places: Vec<(usize, usize)>,
    lines: OnceLock<LinePatterns>,
}

#[derive(Clone, Copy)]
pub(super) struct PlacedPattern<'a> {
    pub(super) entry: &'a PatternEntry,
    pub(super) pattern: &'a str,
}

impl PlacedPattern<'_> {
    /// Returns whether it is a line of a help text, which is not significant alone.
    pub(super) fn is_help_line(&self) -> bool {
        self.entry.pattern_type == PatternType::Help && self.entry.category == HELP_LINES
    }

    /// Returns whether it counts failures, which is not significant in a help text.
    pub(super) fn is_summary(&self) -> bool {
        self.entry.pattern_type == PatternType::Error && self.entry.category == ERROR_SUMMARY
    }

    /// Returns whether more than the pattern is needed to decide.
    pub(super) fn is_only_a_sign(&self) -> bool {
        match self.entry.pattern_type {
            PatternType::DataFormat => self.entry.origin == PatternOrigin::BuiltIn,
            PatternType::Prompt => self.entry.category == PROMPT_ENDINGS,
            _ => false,
        }
    }
}

impl Compiled {
    pub fn built_in() -> Self {
        Self::new(&[], Vec::new())
    }

    /// Returns the built-in patterns with the user's, which were checked; warnings say which could not be used.
    /// The patterns of a type may still be too large together: then only the built-in ones are used, and there is a
    /// warning.
    pub fn new(overrides: &[Override], mut warnings: Vec<String>) -> Self {
        let mut kinds = BTreeMap::new();
        let mut entries = entries(overrides);
        for pattern_type in PatternType::ALL {
            let changes = overrides
                .iter()
                .any(|entry| entry.pattern_type == pattern_type);
            let lines = OnceLock::new();
            if changes {
                let sources = entries
                    .iter()
                    .filter(|entry| entry.pattern_type == pattern_type);
                let patterns = sources.flat_map(|entry| &entry.patterns);
                match LinePatterns::compile(patterns.map(String::as_str)) {
                    Ok(compiled) => drop(lines.set(compiled)),
                    Err(error) => {
                        let name = pattern_type.name();
                        warnings.push(format!(
                            "the {name} patterns that were set are not used: {error}"
                        ));
                        entries.retain(|entry| entry.pattern_type != pattern_type);
                        let built_ins = BUILT_INS.iter().cloned();
                        entries.extend(built_ins.filter(|e| e.pattern_type == pattern_type));
                    }
                }
            }
            let places = Vec::new();
            kinds.insert(pattern_type, TypePatterns { places, lines });
        }
        entries.sort_by_key(|entry| entry.pattern_type);
        for (index, entry) in entries.iter().enumerate() {
            if let Some(kind) = kinds.get_mut(&entry.pattern_type) {
                let patterns = 0..entry.patterns.len();
                kind.places.extend(patterns.map(|pattern| (index, pattern)));
            }
        }
        Self {
            entries,
            kinds,
            warnings,
        }
    }

    /// Returns all entries by type, then in the order in which they are tried.
    pub fn entries(&self) -> &[PatternEntry] {
        &self.entries
    }

    /// Returns which entries of the file cannot be used.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns whether a line reports an error; costs about a microsecond.
    pub fn is_error_line(&self, line: &str) -> bool {
        self.lines(PatternType::Error).is_match(line)
    }

    /// Returns whether a program that printed `last_line` and then went silent probably waits for input.
    /// `last_line` is the text from the start of the line to the cursor, including trailing blanks, without control
    /// sequences. This is a guess for programs whose state is not visible; only use it for a terminal that has been
    /// quiet.
    pub fn is_prompt(&self, last_line: &str) -> bool {
        let matching = self.lines(PatternType::Prompt).matching(last_line);
        self.prompt_place(matching).is_some()
    }

    /// Returns whether a program that waits for input according to the kernel shows a prompt: then the sign at the end
    /// is enough.
    /// `last_line` as for [`Compiled::is_prompt`].
    pub fn ends_as_prompt(&self, last_line: &str) -> bool {
        self.lines(PatternType::Prompt).is_match(last_line)
    }

    /// Returns the first matching prompt pattern that identifies a prompt by the line alone.
    pub(super) fn prompt_place(
        &self,
        matching: impl IntoIterator<Item = usize>,
    ) -> Option<PlacedPattern<'_>> {
        let mut places = matching
            .into_iter()
            .filter_map(|index| self.place(PatternType::Prompt, index));
        places.find(|place| !place.is_only_a_sign())
    }

    pub(super) fn lines(&self, pattern_type: PatternType) -> &LinePatterns {
        let kind = &self.kinds[&pattern_type];
        kind.lines.get_or_init(|| {
            let places = kind.places.iter();
            let patterns = places.map(|&(entry, pattern)| &*self.entries[entry].patterns[pattern]);
            // User patterns were compiled before: these are the built-in ones, which a test compiles.
            LinePatterns::compile(patterns).unwrap_or_default()
        })
    }

    /// Returns the pattern of a type at an index of [`Compiled::lines`].
    pub(super) fn place(
        &self,
        pattern_type: PatternType,
        index: usize,
    ) -> Option<PlacedPattern<'_>> {
        let &(entry, pattern) = self.kinds.get(&pattern_type)?.places.get(index)?;
        let entry = self.entries.get(entry)?;
        let pattern = entry.patterns.get(pattern)?;
        Some(PlacedPattern { entry, pattern })
    }
}

/// A user's entry replaces a built-in one in its position; new ones come first in their type.
fn entries(overrides: &[Override]) -> Vec<PatternEntry> {
    let set = |entry: &Override, origin| PatternEntry {
        pattern_type: entry.pattern_type,
        category: entry.category.clone(),
        patterns: entry.patterns.clone(),
        description: entry.description.clone(),
        origin,
    };
    let mut entries: Vec<PatternEntry> = Vec::new();
    for entry in overrides {
        let replaces = BUILT_INS
            .iter()
            .any(|built_in| entry.is(built_in.pattern_type, &built_in.category));
        if !replaces {
            entries.push(set(entry, PatternOrigin::Own));
        }
    }
    for built_in in BUILT_INS.iter() {
        let replaced = overrides
            .iter()
            .find(|entry| entry.is(built_in.pattern_type, &built_in.category));
        entries.push(match replaced {
            Some(entry) => set(entry, PatternOrigin::Override),
            None => built_in.clone(),
        });
    }
    entries.sort_by_key(|entry| entry.pattern_type);
    entries
}

pub fn built_in(pattern_type: PatternType, category: &str) -> Option<PatternEntry> {
    let mut entries = BUILT_INS.iter();
    let found =
        entries.find(|entry| entry.pattern_type == pattern_type && entry.category == category);
    found.cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_pattern_compiles_and_has_a_name_of_its_own() {
        let mut names = Vec::new();
        for entry in BUILT_INS.iter() {
            LinePatterns::compile(entry.patterns.iter().map(String::as_str))
                .unwrap_or_else(|error| panic!("{}: {error}", entry.category));
            assert!(!entry.description.is_empty());
            names.push((entry.pattern_type, &entry.category));
        }
        let len = names.len();
        assert_eq!(include_str!("built_in.txt").matches("\n\n").count(), len);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), len);
        for pattern_type in PatternType::ALL {
            assert!(!Compiled::built_in().lines(pattern_type).is_match("§"));
        }
    }

    #[test]
    fn what_is_new_is_tried_first_and_what_is_replaced_stays_in_its_place() {
        let entry = |category: &str| Override {
            pattern_type: PatternType::Prompt,
            category: category.into(),
            patterns: vec!["^x".into()],
            description: String::new(),
            others: serde_json::Map::new(),
        };
        let compiled = Compiled::new(&[entry("ssh"), entry("mine")], Vec::new());
        let names: Vec<_> = compiled
            .entries()
            .iter()
            .filter(|entry| entry.pattern_type == PatternType::Prompt)
            .map(|entry| (entry.category.as_str(), entry.origin))
            .collect();
        assert_eq!(names[0], ("mine", PatternOrigin::Own));
        assert!(names.contains(&("ssh", PatternOrigin::Override)));
        assert!(compiled.is_prompt("xyz") && compiled.is_prompt(">>> "));
    }

    #[test]
    fn patterns_that_are_too_large_together_leave_the_built_in_ones() {
        let large: Vec<Override> = (0..60)
            .map(|number| Override {
                pattern_type: PatternType::Error,
                category: format!("c{number}"),
                patterns: vec![r"\pL".repeat(1000)],
                description: String::new(),
                others: serde_json::Map::new(),
            })
            .collect();
        let compiled = Compiled::new(&large, Vec::new());
        assert_eq!(compiled.warnings().len(), 1, "{:?}", compiled.warnings());
        assert!(compiled.is_error_line("bash: x: command not found"));
    }
}
