//! Words of a candidate that speak for one project, or for all of them.

use regex::{Regex, RegexBuilder};

/// Patterns with weights, for both scopes.
#[derive(Debug, Clone)]
pub struct Indicators {
    project: Vec<(Regex, u32)>,
    global: Vec<(Regex, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScopeScores {
    pub project: u32,
    pub global: u32,
}

/// A pattern of `scope_indicators` in `config.json` that does not compile. The built-in group holds instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("scope_indicators.{group}[{index}]: {pattern:?} is not a pattern: {reason}")]
pub struct IndicatorError {
    /// `project` or `global`.
    pub group: &'static str,
    pub index: usize,
    pub pattern: String,
    pub reason: String,
}

impl Indicators {
    /// Returns the built-in groups, with each group that the configuration has in place of the built-in one.
    /// An entry weighs 2; a group that lists exactly the built-in patterns, as a first start writes it, keeps their
    /// weights. An entry without any sign of a pattern but dots, such as `.platform.` or `git`, is a plain text: its dots
    /// stand for themselves, and its words match whole.
    /// A group with a broken entry is not used; each broken entry is one of the errors.
    #[must_use]
    pub fn with_config(
        project: Option<&[String]>,
        global: Option<&[String]>,
    ) -> (Self, Vec<IndicatorError>) {
        let mut indicators = Self::default();
        let mut errors = Vec::new();
        for (group, entries, built_in) in [
            ("project", project, &mut indicators.project),
            ("global", global, &mut indicators.global),
        ] {
            let Some(entries) = entries.filter(|entries| !is_built_in(group, entries)) else {
                continue;
            };
            match configured(group, entries) {
                Ok(patterns) => *built_in = patterns,
                Err(broken) => errors.extend(broken),
            }
        }
        (indicators, errors)
    }

    /// Returns how much a text speaks for each scope. Case does not count.
    #[must_use]
    pub fn scores(&self, text: &str) -> ScopeScores {
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
    pub fn built_in() -> [(&'static str, Vec<&'static str>); 2] {
        let texts =
            |patterns: &[(&'static str, u32)]| patterns.iter().map(|(text, _)| *text).collect();
        [("project", texts(PROJECT)), ("global", texts(GLOBAL))]
    }
}

impl Default for Indicators {
    fn default() -> Self {
        let compile = |patterns: &[(&str, u32)]| {
            let compiled = patterns
                .iter()
                .map(|(text, weight)| Some((pattern(text).ok()?, *weight)));
            compiled.flatten().collect()
        };
        Self {
            project: compile(PROJECT),
            global: compile(GLOBAL),
        }
    }
}

/// Weight of an entry of the configuration.
const CONFIGURED_WEIGHT: u32 = 2;

/// Largest compiled pattern: one from a configuration must not take the daemon's memory.
const MAX_PATTERN_BYTES: usize = 1 << 20;

const PROJECT: &[(&str, u32)] = &[
    (r"apps/", 3),
    (r"packages/", 2),
    (r"src/components/", 2),
    (r"\.platform\.", 3),
    (r"docker-compose\.", 2),
    (r"\.env\.", 2),
    (r"makefile", 1),
    (r"\b(client|customer|vendor)\s+name", 2),
    (r"\b(internal|proprietary)\b", 2),
    (r"\bapi\.example\.com\b", 3),
    (r"pnpm\s+-c\s+packages/", 3),
    (r"\bnx\s+", 2),
    (r"turbo\b", 2),
];

const GLOBAL: &[(&str, u32)] = &[
    (r"\brun\s+tests?\b", 3),
    (r"\bsmall\s+(pr|commit)", 2),
    (r"\bcommit\s+message", 2),
    (r"\bcode\s+review", 2),
    (r"\bdiff\s+summary", 2),
    (r"\bverify\s+before", 2),
    (r"\bbackup\s+first", 2),
    (r"\bgit\b", 2),
    (r"\bdocker\b", 2),
    (r"\bnpm\b", 1),
    (r"\bpnpm\b", 1),
    (r"\byarn\b", 1),
    (r"\bpython\b", 1),
    (r"\bpytest\b", 1),
    (r"\bjest\b", 1),
    (r"\bdon't\s+edit\s+generated", 3),
    (r"\bnever\s+commit\s+secrets", 3),
    (r"\balways\s+backup", 2),
    (r"\bcommand\s+not\s+found", 2),
];

fn is_built_in(group: &str, entries: &[String]) -> bool {
    let of_group = Indicators::built_in()
        .into_iter()
        .find(|(name, _)| *name == group);
    of_group.is_some_and(|(_, texts)| texts == entries)
}

fn configured(
    group: &'static str,
    entries: &[String],
) -> Result<Vec<(Regex, u32)>, Vec<IndicatorError>> {
    let mut patterns = Vec::new();
    let mut errors = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        match pattern(&as_pattern(entry)) {
            Ok(pattern) => patterns.push((pattern, CONFIGURED_WEIGHT)),
            Err(error) => errors.push(IndicatorError {
                group,
                index,
                pattern: entry.clone(),
                // The last line says what is wrong; those before it draw the pattern again.
                reason: error
                    .to_string()
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim()
                    .to_owned(),
            }),
        }
    }
    if errors.is_empty() {
        Ok(patterns)
    } else {
        Err(errors)
    }
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

    fn texts(entries: &[&str]) -> Vec<String> {
        entries.iter().map(|entry| (*entry).to_owned()).collect()
    }

    #[test]
    fn every_built_in_pattern_compiles() {
        let indicators = Indicators::default();
        assert_eq!(indicators.project.len(), PROJECT.len());
        assert_eq!(indicators.global.len(), GLOBAL.len());
    }

    #[test]
    fn a_configured_group_replaces_the_built_in_one() {
        let project = texts(&["services/", ".platform.", r"\bacme\b"]);
        let (indicators, errors) = Indicators::with_config(Some(&project), None);
        assert_eq!(errors, []);
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
        let global = texts(&["git", "run tests"]);
        let (indicators, _) = Indicators::with_config(None, Some(&global));
        assert_eq!(indicators.scores("a digit is read").global, 0);
        assert_eq!(indicators.scores("run tests, then git push").global, 4);
    }

    #[test]
    fn the_built_in_lists_written_to_a_configuration_change_nothing() {
        let [(_, project), (_, global)] = Indicators::built_in();
        let (project, global) = (texts(&project), texts(&global));
        let (indicators, errors) = Indicators::with_config(Some(&project), Some(&global));
        assert_eq!(errors, []);
        assert_eq!(
            indicators.scores("run tests in apps/"),
            ScopeScores {
                project: 3,
                global: 3
            }
        );
    }

    #[test]
    fn a_broken_entry_is_named_and_the_built_in_group_holds() {
        let project = texts(&["services/", "(unclosed"]);
        let (indicators, errors) = Indicators::with_config(Some(&project), None);
        assert_eq!(indicators.scores("apps/ services/").project, 3);
        assert_eq!((errors[0].group, errors[0].index), ("project", 1));
        let message = errors[0].to_string();
        assert!(
            message.starts_with("scope_indicators.project[1]: \"(unclosed\""),
            "{message}"
        );
    }
}
