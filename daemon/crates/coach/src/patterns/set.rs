//! All lists, ready to be searched.

use super::error::{MAX_PATTERN_BYTES, MAX_PATTERNS, PatternError};
use super::group::PatternGroup;
use regex::{Match, Regex, RegexBuilder};
use std::collections::BTreeMap;

/// Maximum number of bytes of a compiled pattern. With all groups full of the largest patterns that is some 250 MB.
const MAX_COMPILED_BYTES: usize = 128 * 1024;

#[derive(Debug, Default)]
pub(crate) struct PatternSet {
    groups: BTreeMap<PatternGroup, Group>,
}

#[derive(Debug)]
struct Group {
    patterns: Vec<Pattern>,
    /// Whether each built-in pattern is in it.
    has_built_ins: bool,
}

#[derive(Debug)]
struct Pattern {
    source: String,
    regex: Regex,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct MatchedPattern<'p, 't> {
    /// As it is spelled in the list.
    pub(crate) pattern: &'p str,
    pub(crate) text: Match<'t>,
}

impl PatternSet {
    #[cfg(test)]
    pub(crate) fn built_in() -> Self {
        Self::with_config(&BTreeMap::new()).0
    }

    /// Returns the built-in lists, each replaced by the configuration's list of that name, and what cannot be used.
    /// A list with a broken pattern is reported and its built-in list holds. Names that are not of a group are ignored.
    pub(crate) fn with_config(config: &BTreeMap<String, Vec<String>>) -> (Self, Vec<PatternError>) {
        let mut errors = Vec::new();
        let mut groups = BTreeMap::new();
        for group in PatternGroup::ALL {
            // A built-in pattern that is broken is an error as well, which a test excludes.
            let own = config.get(group.name()).map(Vec::as_slice);
            for sources in own.into_iter().chain([group.built_in()]) {
                match Group::compile(group, sources) {
                    Ok(compiled) => {
                        groups.insert(group, compiled);
                        break;
                    }
                    Err(error) => errors.push(error),
                }
            }
        }
        (Self { groups }, errors)
    }

    #[cfg(test)]
    pub(crate) fn sources(&self, group: PatternGroup) -> impl Iterator<Item = &str> {
        self.patterns(group).map(|pattern| pattern.source.as_str())
    }

    /// Returns whether the group holds the whole built-in list, perhaps with further patterns.
    /// Only then do the detector's own phrasings for that kind of signal apply: a list that somebody has shortened is
    /// meant as it is.
    pub(crate) fn has_built_ins(&self, group: PatternGroup) -> bool {
        self.groups
            .get(&group)
            .is_some_and(|group| group.has_built_ins)
    }

    /// Returns the first match of each pattern of the group that `accepts` a match, in the order of the list.
    pub(crate) fn find<'p, 't>(
        &'p self,
        group: PatternGroup,
        text: &'t str,
        accepts: impl Fn(&MatchedPattern<'p, 't>) -> bool,
    ) -> Vec<MatchedPattern<'p, 't>> {
        let first = |pattern: &'p Pattern| {
            let matches = pattern.regex.find_iter(text);
            matches
                .map(|text| MatchedPattern {
                    pattern: &pattern.source,
                    text,
                })
                .find(&accepts)
        };
        self.patterns(group).filter_map(first).collect()
    }

    fn patterns(&self, group: PatternGroup) -> impl Iterator<Item = &Pattern> {
        self.groups
            .get(&group)
            .into_iter()
            .flat_map(|group| &group.patterns)
    }
}

impl Group {
    fn compile(group: PatternGroup, sources: &[String]) -> Result<Self, PatternError> {
        if sources.len() > MAX_PATTERNS {
            return Err(PatternError::TooMany {
                group: group.name().to_owned(),
                count: sources.len(),
            });
        }
        let patterns = sources
            .iter()
            .enumerate()
            .map(|(index, source)| compile(group, index + 1, source));
        let patterns = patterns.collect::<Result<Vec<_>, _>>()?;
        let has_built_ins = group
            .built_in()
            .iter()
            .all(|source| sources.contains(source));
        Ok(Self {
            patterns,
            has_built_ins,
        })
    }
}

fn compile(group: PatternGroup, number: usize, source: &str) -> Result<Pattern, PatternError> {
    let group = group.name().to_owned();
    if source.len() > MAX_PATTERN_BYTES {
        return Err(PatternError::TooLong { group, number });
    }
    let regex = RegexBuilder::new(source)
        .case_insensitive(!looks_for_capitals(source))
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .build();
    match regex {
        Ok(regex) if regex.is_match("") => Err(PatternError::MatchesEmpty {
            group,
            number,
            pattern: source.to_owned(),
        }),
        Ok(regex) => Ok(Pattern {
            source: source.to_owned(),
            regex,
        }),
        Err(error) => {
            let reason = error.to_string();
            // The last line of the message says what is wrong; the others show the pattern.
            let reason = reason.lines().last().unwrap_or_default();
            let reason = reason.trim_start_matches("error: ").to_owned();
            Err(PatternError::Broken {
                group,
                number,
                pattern: source.to_owned(),
                reason,
            })
        }
    }
}

/// Returns whether a pattern is about capital letters, so that it must not match small ones.
/// `[A-Z]{3,}` without regard to case would match every text.
fn looks_for_capitals(source: &str) -> bool {
    let without_both = source.replace("A-Za-z", "").replace("a-zA-Z", "");
    ["A-Z", r"\p{Lu}", "[[:upper:]]"]
        .iter()
        .any(|class| without_both.contains(class))
}
