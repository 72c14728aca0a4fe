//! Further phrasings of corrections, which the patterns of the list do not have.

use super::correction_conditions::{Condition, condition};
use super::foreign;
use super::history::Assistant;
use super::prose::Prose;
use super::spot::Spot;
use crate::table::{filled, lists, regex};
use regex::Regex;
use std::sync::LazyLock;

struct Phrase {
    name: &'static str,
    about: About,
    conditions: Vec<Condition>,
    regex: Regex,
    /// What makes it none: the part of the text, and what is found there.
    exceptions: Vec<(&'static str, Regex)>,
}

/// What a phrasing is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    /// What the assistant does or may do; at the start of a session it is an instruction.
    Work,
    /// What was said or done earlier, perhaps in another session.
    Past,
    /// Work that the assistant was seen to have begun.
    SeenWork,
}

static PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let phrases = lists(include_str!("correction_phrases.txt")).into_iter();
    phrases
        .map(|(name, lines)| Phrase::read(name, &lines))
        .collect()
});

/// Returns the name of the first phrasing that a text has.
pub(super) fn phrase(prose: &Prose, assistant: Assistant) -> Option<&'static str> {
    let text = &prose.text;
    let accepts = |phrase: &&Phrase| {
        let mut matches = phrase.regex.find_iter(text);
        matches.any(|found| phrase.accepts(&Spot::new(text, found)))
    };
    let mut phrases = PHRASES.iter().filter(|phrase| phrase.about.fits(assistant));
    let english = phrases.find(accepts).map(|phrase| phrase.name);
    let foreign = || {
        let may_correct = assistant != Assistant::Idle;
        may_correct.then(|| foreign::correction(text)).flatten()
    };
    english.or_else(foreign)
}

impl Phrase {
    /// Reads a list of the file: what it is about with its conditions, alternatives, exceptions.
    fn read(name: &'static str, lines: &[&'static str]) -> Self {
        let words = lists(include_str!("correction_words.txt"));
        let (head, patterns) = lines.split_first().unwrap_or((&"", &[]));
        let (about, conditions) = head.split_once(": ").unwrap_or((head, ""));
        let (exceptions, alternatives): (Vec<_>, Vec<_>) = patterns
            .iter()
            .copied()
            .partition(|line| line.starts_with('!'));
        let exceptions = exceptions.into_iter().filter_map(|line: &'static str| {
            let (part, pattern) = line.split_once(' ')?;
            Some((part, regex(pattern)))
        });
        Self {
            name,
            about: About::named(about),
            conditions: conditions.split(' ').map(condition).collect(),
            regex: regex(&filled(alternatives.join("|"), &words)),
            exceptions: exceptions.collect(),
        }
    }

    fn accepts(&self, spot: &Spot<'_>) -> bool {
        let is_exception = |(part, pattern): &(&str, Regex)| {
            pattern.is_match(match *part {
                "!before" => spot.before,
                "!after" => spot.after,
                _ => spot.word,
            })
        };
        spot.is_whole()
            && self.conditions.iter().all(|holds| holds(spot))
            && !self.exceptions.iter().any(is_exception)
    }
}

impl About {
    fn named(name: &str) -> Self {
        match name {
            "past" => Self::Past,
            "seen-work" => Self::SeenWork,
            _ => Self::Work,
        }
    }

    fn fits(self, assistant: Assistant) -> bool {
        match self {
            Self::Work => assistant != Assistant::Idle,
            Self::Past => true,
            Self::SeenWork => assistant == Assistant::Acted,
        }
    }
}
