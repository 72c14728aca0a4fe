//! All lists, ready to be searched.

use super::group::PatternGroup;
use crate::table::reason;
use regex::{Match, Regex, RegexBuilder};
use std::collections::BTreeMap;

pub(super) const MAX_PATTERNS: usize = 200;

pub(super) const MAX_PATTERN_BYTES: usize = 1000;

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
    pub(crate) fn with_config(config: &BTreeMap<String, Vec<String>>) -> (Self, Vec<String>) {
        let mut problems = Vec::new();
        let mut groups = BTreeMap::new();
        for (group, name) in PatternGroup::ALL {
            // A built-in pattern that is broken is an error as well, which a test excludes.
            let own = config.get(name).map(Vec::as_slice);
            for sources in own.into_iter().chain([group.built_in()]) {
                match Group::compile(group, sources) {
                    Ok(compiled) => {
                        groups.insert(group, compiled);
                        break;
                    }
                    Err(problem) => problems.push(problem),
                }
            }
        }
        (Self { groups }, problems)
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
    fn compile(group: PatternGroup, sources: &[String]) -> Result<Self, String> {
        let name = group.name();
        if sources.len() > MAX_PATTERNS {
            let count = sources.len();
            return Err(format!(
                "signal_patterns.{name}: {count} patterns; at most {MAX_PATTERNS} are allowed"
            ));
        }
        let patterns = (1..).zip(sources).map(|(number, source)| {
            let compiled = compile(source);
            compiled.map_err(|why| format!("signal_patterns.{name}: entry {number} {why}"))
        });
        let patterns = patterns.collect::<Result<_, _>>()?;
        let mut built_in = group.built_in().iter();
        Ok(Self {
            patterns,
            has_built_ins: built_in.all(|source| sources.contains(source)),
        })
    }
}

/// Returns a pattern, or what is wrong with it.
fn compile(source: &str) -> Result<Pattern, String> {
    if source.len() > MAX_PATTERN_BYTES {
        return Err(format!("is longer than {MAX_PATTERN_BYTES} bytes"));
    }
    let regex = RegexBuilder::new(source)
        .case_insensitive(!looks_for_capitals(source))
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .build();
    let wrong = |error| {
        let reason = reason(&error);
        format!("({source:?}) is not a regular expression: {reason}")
    };
    let regex = regex.map_err(wrong)?;
    if regex.is_match("") {
        return Err(format!(
            "({source:?}) matches an empty text, so it would match everything"
        ));
    }
    let source = source.to_owned();
    Ok(Pattern { source, regex })
}

/// Returns whether a pattern is about capital letters, so that it must not match small ones.
/// `[A-Z]{3,}` without regard to case would match every text.
fn looks_for_capitals(source: &str) -> bool {
    let without_both = source.replace("A-Za-z", "").replace("a-zA-Z", "");
    ["A-Z", r"\p{Lu}", "[[:upper:]]"]
        .iter()
        .any(|class| without_both.contains(class))
}
