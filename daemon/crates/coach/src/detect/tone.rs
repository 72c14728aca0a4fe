//! TONE_ESCALATION: capitals, exclamation marks and words of impatience.

use super::found::{Formula, patterns, rounded, signal};
use super::prose::Prose;
use super::spot::{Spot, regex};
use super::tone_words::{FRUSTRATION, capital_words};
use crate::patterns::{MatchedPattern, PatternGroup, PatternSet};
use crate::signal::{EventType, Signal, SignalType};
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

const BY_WORDS: Formula = Formula {
    base: 0.2,
    step: 0.1,
    most: 0.8,
};
const BY_MARK: f64 = 0.05;

/// As many exclamation marks in all are impatience, even when no two of them are side by side.
const MANY_MARKS: usize = 3;

pub(super) fn detect(prompt: &str, prose: &Prose, set: &PatternSet) -> Option<Signal> {
    let text = &prose.text;
    if is_praise(text) {
        return None;
    }
    let capitals = capital_words(text);
    let marks = emphatic_marks(text);
    let group = PatternGroup::Escalation;
    let found = set.find(group, text, |found| accepts(found, text, &capitals));
    let mut matches = patterns(&found);
    if matches.is_empty() && set.has_built_ins(group) {
        matches.extend(
            FRUSTRATION
                .is_match(text)
                .then(|| Value::from("frustration")),
        );
    }
    if matches.is_empty() && marks < MANY_MARKS {
        return None;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "a prompt is searched for its first 500 characters"
    )]
    let confidence =
        rounded((BY_WORDS.of(capitals.len()) + BY_MARK * marks as f64).min(BY_WORDS.most));
    let mut signal = signal(
        SignalType::ToneEscalation,
        EventType::Pre,
        matches,
        confidence,
        prompt,
    );
    signal
        .detail
        .insert("caps_words".into(), capitals.len().into());
    signal
        .detail
        .insert("exclamation_count".into(), marks.into());
    Some(signal)
}

/// Returns whether a match of an escalation pattern is impatience.
fn accepts(found: &MatchedPattern<'_, '_>, text: &str, capitals: &[&str]) -> bool {
    let spot = Spot::new(text, found.text);
    let word = spot.word;
    if word.starts_with('!') {
        return is_emphatic(&spot);
    }
    match word.to_lowercase().as_str() {
        "again" => is_impatient_again(&spot),
        "how many times" => TOLD_OFTEN.is_match(spot.after),
        "for the last time" => spot.starts_clause(),
        "literally" => word == "LITERALLY" || is_reproachful_literally(&spot),
        _ if is_capitals(word) => {
            // The pattern may match a part of a word: what counts is the whole one.
            let start = spot
                .before
                .trim_end_matches(|before: char| before.is_ascii_uppercase())
                .len();
            let whole = text[start..]
                .split(|other: char| !other.is_ascii_uppercase() && other != '\'')
                .next()
                .unwrap_or_default();
            capitals
                .iter()
                .any(|capital| capital.trim_matches('\'') == whole.trim_matches('\''))
        }
        _ => spot.is_whole(),
    }
}

fn is_capitals(word: &str) -> bool {
    word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Returns whether exclamation marks end something: not `!=`, `!!value` and `vec![`.
fn is_emphatic(spot: &Spot<'_>) -> bool {
    let next = spot.after.trim_start_matches(['!', '?']).chars().next();
    let is_open = next.is_none_or(|next| {
        next.is_whitespace() || matches!(next, '.' | ',' | ')' | ':' | ';' | '…')
    });
    is_open
        && !spot
            .before
            .trim_end_matches('!')
            .ends_with(['(', '=', '&', '|'])
}

/// Returns the number of exclamation marks that end something.
fn emphatic_marks(text: &str) -> usize {
    static RUN: LazyLock<Regex> = LazyLock::new(|| regex("!+"));
    let runs = RUN
        .find_iter(text)
        .filter(|run| is_emphatic(&Spot::new(text, *run)));
    runs.map(|run| run.len()).sum()
}

static TOLD_OFTEN: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"^\s+(?:(?:do|must|should|did|will|would|shall) i\b[^.?!\n]{0,30}\b(?:say|tell|repeat|ask|explain|remind|correct|fix|write|type)\b|",
        r"have i\b|are you\b|will you\b|do you (?:need|have) to be told|i(?:'ve| have)\b|\W*$)|^\s*[?!.]",
    ))
});

static ORDER_AGAIN: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\W*(?:(?:great|nice|cool|good|perfect|thanks|and|then|now|please|ok|okay|so|could|can|would|you|let'?s|just|we|to)\W+)*(?:run|try|retry|check|build|read|test|start|restart|deploy|look|do|open|show|explain|execute|rebuild|fetch|pull|push|ask|send|use|go|generate|write|create|take|make|call|compile|rerun|search|add)\b|\b(?:if|when|once|after|until|whenever|in case|before|should|can you|could you)\b|\bonce again\b|\btry again\b|\bthanks\b",
    )
});

static BROKEN: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\b(?:still|broken|broke|breaks|fails?|failed|failing|crash(?:es|ed|ing)?|hangs?|stuck|wrong|gone|missing|lost|down|red|errors?|same|",
        r"doesn'?t|isn'?t|not working|not again|forgot|ignored|happen(?:s|ed|ing)?)\b|\bnot\W+$|",
        r"\byou(?:'ve| have|'re| are)?(?: \w+ly| just)? (?:did|do|broke|[a-z]+ed|forgot|made|keep|kept|[a-z]+ing|got|put|went|left|wrote|ran)\b",
    ))
});

/// Returns whether an "again" complains: with "!", or where something is said to be broken or done by the assistant.
fn is_impatient_again(spot: &Spot<'_>) -> bool {
    let sentence = spot.sentence_before();
    if ORDER_AGAIN.is_match(sentence) {
        return false;
    }
    spot.word == "AGAIN"
        || spot.after.starts_with(['!'])
        || (spot.after.starts_with(':') && spot.sentence_ends_with('!'))
        || BROKEN.is_match(sentence)
        || STILL_AFTER.is_match(spot.sentence_after())
        || (spot.starts_clause() && spot.after.trim_start().starts_with("you "))
}

static STILL_AFTER: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^[^.?!\n]*\b(?:still|broken|fails|failing|wrong)\b|^\W+seriously"));

fn is_reproachful_literally(spot: &Spot<'_>) -> bool {
    static BEFORE: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\b(?:you|you're|i|i've|i have|it's|that's)(?: have| had)?\s*$"));
    static AFTER: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^\s+(?:just |only |have |had )*(?:told|said|asked|deleted|ignored|broke|did|wrote|removed|impossible|unusable|nothing|every|all i|useless|the (?:first|only|opposite))\b",
        )
    });
    BEFORE.is_match(spot.before) && AFTER.is_match(spot.after)
}

/// Returns whether a text is friendly and names nothing bad.
fn is_praise(text: &str) -> bool {
    static FRIENDLY: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"\b(?:thanks?|thx|great|awesome|perfect|excellent|amazing|love|nice|good (?:job|work|one|stuff)|well done|wonderful|fantastic|brilliant|cool|",
            r"yay|wo+w|woo+t?|hoo?ray|exactly|congrat\w*|welcome|hello|hi|hey|let'?s go|lgtm|beautiful|superb|impressive|works|working|danke|gracias|merci|happy|good morning|finally)\b|^\W*yes+\b",
        ))
    });
    static BAD: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"\b(?:broken|broke|still|wrong|not|stop|fail\w*|crash\w*|but|why|no|nope|never|delet\w+|bugs?|errors?|lost|gone|worse|useless|ridiculous|\w+n'?t|",
            r"ignor\w+|again and again|same|wtf|hell|nothing|how many)\b",
        ))
    });
    FRIENDLY.is_match(text) && !BAD.is_match(text)
}
