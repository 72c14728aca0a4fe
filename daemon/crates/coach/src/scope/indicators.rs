//! Words of a candidate that speak for one project, or for all of them.

use crate::table::{document, reason};
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Patterns with weights, for both scopes.
#[derive(Debug, Clone)]
pub(crate) struct Indicators {
    project: Vec<(Regex, u32)>,
    global: Vec<(Regex, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScopeScores {
    pub(crate) project: u32,
    pub(crate) global: u32,
}

impl Indicators {
    /// Returns the built-in groups, with each group that the configuration has in place of the built-in one.
    /// An entry weighs 2; a group that lists exactly the built-in patterns, as a first start writes it, keeps their
    /// weights. An entry without any sign of a pattern but dots, such as `.platform.` or `git`, is a plain text: its dots
    /// stand for themselves, and its words match whole.
    /// A group with a broken entry is not used; the first one is among the problems.
    pub(crate) fn with_config(config: &BTreeMap<String, Vec<String>>) -> (Self, Vec<String>) {
        let (mut indicators, mut problems) = (Self::default(), Vec::new());
        for (group, built_in) in [
            ("project", &mut indicators.project),
            ("global", &mut indicators.global),
        ] {
            let own = config.get(group);
            let Some(own) = own.filter(|entries| !is_built_in(group, entries)) else {
                continue;
            };
            match configured(group, own) {
                Ok(patterns) => *built_in = patterns,
                Err(problem) => problems.push(problem),
            }
        }
        (indicators, problems)
    }

    /// Returns how much a text speaks for each scope. Case does not count.
    pub(crate) fn scores(&self, text: &str) -> ScopeScores {
        let lower = text.to_lowercase();
        let sum = |patterns: &[(Regex, u32)]| {
            let matching = patterns
                .iter()
                .filter(|(pattern, _)| pattern.is_match(&lower));
            matching.fold(0_u32, |sum, (_, weight)| sum.saturating_add(*weight))
        };
        ScopeScores {
            project: sum(&self.project),
            global: sum(&self.global),
        }
    }

    /// Returns the built-in patterns of both groups as they are written in a first configuration.
    pub(crate) fn built_in() -> [(&'static str, Vec<&'static str>); 2] {
        let texts = |patterns: &'static [(String, u32)]| {
            patterns.iter().map(|(text, _)| text.as_str()).collect()
        };
        [
            ("project", texts(&BUILT_IN.project)),
            ("global", texts(&BUILT_IN.global)),
        ]
    }
}

impl Default for Indicators {
    fn default() -> Self {
        let compile = |patterns: &[(String, u32)]| {
            let compiled = patterns
                .iter()
                .map(|(text, weight)| Some((pattern(text).ok()?, *weight)));
            compiled.flatten().collect()
        };
        Self {
            project: compile(&BUILT_IN.project),
            global: compile(&BUILT_IN.global),
        }
    }
}

/// Weight of an entry of the configuration.
const CONFIGURED_WEIGHT: u32 = 2;

/// Largest compiled pattern: one from a configuration must not take the daemon's memory.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// The built-in patterns with their weights.
#[derive(Debug, Deserialize)]
struct BuiltIn {
    project: Vec<(String, u32)>,
    global: Vec<(String, u32)>,
}

static BUILT_IN: LazyLock<BuiltIn> = LazyLock::new(|| document(include_str!("indicators.json")));

fn is_built_in(group: &str, entries: &[String]) -> bool {
    let of_group = Indicators::built_in()
        .into_iter()
        .find(|(name, _)| *name == group);
    of_group.is_some_and(|(_, texts)| texts == entries)
}

fn configured(group: &str, entries: &[String]) -> Result<Vec<(Regex, u32)>, String> {
    let compiled = entries.iter().enumerate().map(|(index, entry)| {
        let pattern = pattern(&as_pattern(entry)).map_err(|error| {
            let reason = reason(&error);
            format!("scope_indicators.{group}[{index}]: {entry:?} is not a pattern: {reason}")
        });
        Ok((pattern?, CONFIGURED_WEIGHT))
    });
    compiled.collect()
}

/// Returns an entry as a pattern: a plain text such as `.platform.` with its dots escaped and its words kept whole.
/// `git` as a plain word does not match `digit`. A text with any other sign of a pattern is a pattern.
fn as_pattern(entry: &str) -> String {
    if entry.contains(|c: char| r"\^$*+?()[]{}|".contains(c)) {
        return entry.to_owned();
    }
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let border = |c: Option<char>| if is_word(c) { r"\b" } else { "" };
    format!(
        "{}{}{}",
        border(entry.chars().next()),
        regex::escape(entry),
        border(entry.chars().next_back())
    )
}

fn pattern(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text)
        .case_insensitive(true)
        .size_limit(MAX_PATTERN_BYTES)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(group: &str, entries: &[&str]) -> (Indicators, Vec<String>) {
        let entries = entries.iter().map(|entry| (*entry).to_owned()).collect();
        Indicators::with_config(&BTreeMap::from([(group.to_owned(), entries)]))
    }

    #[test]
    fn every_built_in_pattern_compiles() {
        let indicators = Indicators::default();
        assert_eq!(indicators.project.len(), BUILT_IN.project.len());
        assert_eq!(indicators.global.len(), BUILT_IN.global.len());
    }

    #[test]
    fn a_configured_group_replaces_the_built_in_one() {
        let (indicators, problems) = with("project", &["services/", ".platform.", r"\bacme\b"]);
        assert_eq!(problems, [""; 0]);
        let scores = indicators.scores("in apps/ and services/ of Acme use git, not xplatformx");
        assert_eq!(
            scores,
            ScopeScores {
                project: 4,
                global: 2
            }
        );
    }

    #[test]
    fn a_plain_word_is_a_whole_word() {
        let (indicators, _) = with("global", &["git", "run tests"]);
        assert_eq!(indicators.scores("a digit is read").global, 0);
        assert_eq!(indicators.scores("run tests, then git push").global, 4);
    }

    #[test]
    fn the_built_in_lists_written_to_a_configuration_change_nothing() {
        for (group, entries) in Indicators::built_in() {
            let scores = with(group, &entries).0.scores("run tests in apps/");
            assert_eq!((scores.project, scores.global), (3, 3));
        }
    }

    #[test]
    fn a_broken_entry_is_named_and_the_built_in_group_holds() {
        let (indicators, problems) = with("project", &["services/", "(unclosed"]);
        assert_eq!(indicators.scores("apps/ services/").project, 3);
        let problem =
            r#"scope_indicators.project[1]: "(unclosed" is not a pattern: unclosed group"#;
        assert_eq!(problems, [problem]);
    }
}
