//! Parts of a sentence, and what each forbids or orders.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Returns the clauses of a line. A sign in the middle of a word, as in `a.rs`, ends none.
pub(super) fn clauses(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.char_indices().find_map(|(at, c)| {
            let after = &text[at + c.len_utf8()..];
            let ends = match c {
                ',' | ';' | ':' | '.' | '!' | '?' => {
                    after.is_empty() || after.starts_with([' ', '!', '?', '.'])
                }
                '\u{2014}' | '\u{2013}' => true,
                ' ' => {
                    return [" - ", " -- ", " but ", " and use ", " and then "]
                        .iter()
                        .find(|border| text[at..].starts_with(**border))
                        // The verb of "and use" is part of the next clause.
                        .map(|border| {
                            (
                                at,
                                at + if border.ends_with("use ") {
                                    " and ".len()
                                } else {
                                    border.len()
                                },
                            )
                        });
                }
                _ => false,
            };
            ends.then(|| (at, at + c.len_utf8()))
        });
        let (clause, next) = match end {
            Some((at, next)) => (&text[..at], Some(&text[next..])),
            None => (text, None),
        };
        rest = next.filter(|next| !next.is_empty());
        Some(clause.trim())
    })
}

const FILLERS: &[&str] = &[
    "no",
    "nope",
    "stop",
    "wait",
    "hey",
    "please",
    "actually",
    "again",
    "ok",
    "okay",
    "sorry",
    "well",
    "and",
    "so",
    "but",
    "i said",
    "i already said",
    "i told you to",
    "i told you",
    "i asked you to",
    "like i said",
    "as i said",
    "i meant",
    "remember to",
    "remember",
    "once more",
    "for the last time",
    "seriously",
    "just",
    "we should",
    "you should",
    "you need to",
    "you have to",
    "you must",
    "you forgot to",
    "you didn't",
    "you did not",
    "can you",
    "could you",
    "the rule is",
];

pub(super) fn without_fillers(mut clause: &str) -> &str {
    'again: loop {
        for filler in FILLERS {
            let Some(rest) = strip_words(clause, filler) else {
                continue;
            };
            // "stop adding" is no filler but the matter itself.
            let is_order = *filler == "stop" && is_gerund(rest);
            // Nor is "no quiero", which is no answer but a negation.
            let is_negation = *filler == "no" && !rest.starts_with(',') && !is_english(rest);
            if !is_order && !is_negation && !avoids(clause) {
                clause = rest.trim_start_matches([',', ' ']);
                continue 'again;
            }
        }
        return clause;
    }
}

/// Returns whether a clause starts with a word that follows an English "no".
fn is_english(clause: &str) -> bool {
    const WORDS: &str = "the we it i you that this not please just wait only our no there they";
    let word = first_word(clause).to_lowercase();
    let word = word.trim_end_matches([',', '.']);
    word.is_empty()
        || WORDS.split(' ').any(|one| one == word)
        || VERBS.contains(word)
        || avoids(clause)
}

const AVOIDED: &[&str] = &[
    "don't ever",
    "don't",
    "do not",
    "dont",
    "never ever",
    "never",
    "you should not have",
    "you shouldn't have",
    "you should not",
    "you shouldn't",
    "you should never",
    "you must not",
    "must not",
    "avoid",
    "quit",
    "stop",
    "why did you",
    "why are you",
    "why do you",
    "why would you",
    "we don't",
    "we do not",
    "we never",
    "you can't",
    "no more",
];

pub(super) fn avoids(clause: &str) -> bool {
    AVOIDED
        .iter()
        .any(|words| *words != "stop" && strip_words(clause, words).is_some())
}

/// What "we don't" is followed by when nothing is forbidden.
const STATES: &[&str] = &[
    "need", "want", "have", "know", "see", "think", "care", "like",
];

pub(super) fn avoided(clause: &str) -> Option<&str> {
    let rest = AVOIDED
        .iter()
        .find_map(|words| strip_words(clause, words))
        .filter(|rest| strip_words(rest, "not").is_none())?;
    let rest = strip_words(rest, "just").unwrap_or(rest);
    let (avoid, _) = contrast(without_end(rest));
    (!STATES.contains(&first_word(avoid))).then_some(avoid)
}

/// How somebody asks why something was left out: it is wanted.
const LEFT_OUT: &str =
    "why didn't you|why didnt you|why did you not|why haven't you|why aren't you";

pub(super) fn wanted(clause: &str) -> Option<&str> {
    let clause = without_end(clause);
    if let Some(order) = LEFT_OUT
        .split('|')
        .find_map(|words| strip_words(clause, words))
    {
        return Some(order).filter(|order| VERBS.contains(first_word(order)));
    }
    let order = strip_words(clause, "always").unwrap_or(clause);
    let is_order = VERBS.contains(first_word(order).to_lowercase().as_str())
        || strip_words(order, "do it").is_some();
    let should_be = [
        "it should be",
        "this should be",
        "that should be",
        "should be",
    ]
    .iter()
    .any(|words| strip_words(clause, words).is_some());
    // "should be camelCase" has no verb to start with, so it stays whole.
    if is_order || should_be || clause.ends_with(" instead") {
        Some(clause.strip_suffix(" instead").unwrap_or(clause))
    } else {
        None
    }
}

/// Returns both sides of "use X instead of Y".
pub(super) fn contrast(want: &str) -> (&str, Option<&str>) {
    // "Do not" in the middle is another order, and "is not" a statement.
    const NEGATED: &str = "do does did is are was were can could will should must or if why";
    let is_contrast = |(before, _): &(&str, &str)| {
        let last = before.rsplit(' ').next().unwrap_or_default();
        NEGATED.split(' ').all(|word| word != last.to_lowercase())
    };
    [" instead of ", " rather than ", " and not ", " not "]
        .iter()
        .find_map(|words| want.split_once(words).filter(is_contrast))
        .map_or((want, None), |(want, other)| (want, Some(other)))
}

fn without_end(mut text: &str) -> &str {
    for end in [
        " anymore",
        " any more",
        " again",
        " please",
        " ever",
        " at all",
        " just now",
    ] {
        text = text.strip_suffix(end).unwrap_or(text);
    }
    text.trim()
}

/// Returns what follows `words`, in any case, when they are whole words at the start.
fn strip_words<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let head = text.get(..words.len())?;
    let rest = &text[words.len()..];
    let is_whole = rest.is_empty() || rest.starts_with([' ', ',']);
    (head.eq_ignore_ascii_case(words) && is_whole).then(|| rest.trim_start())
}

pub(super) fn starts_with(clause: &str, words: &str) -> bool {
    strip_words(clause, words).is_some()
}

/// Returns whether a sentence orders or forbids something, perhaps after the case in which it holds.
pub(super) fn is_order(sentence: &str) -> bool {
    let (_, matter) = sentence
        .split_once(", ")
        .filter(|_| is_case(sentence))
        .unwrap_or(("", sentence));
    let matter = without_fillers(matter);
    avoided(matter).or_else(|| wanted(matter)).is_some()
}

/// Returns whether a sentence starts with the case in which it holds.
pub(super) fn is_case(sentence: &str) -> bool {
    sentence.contains(", ") && CASES.contains(&first_word(sentence).to_lowercase().as_str())
}

const CASES: &[&str] = &["when", "whenever", "before", "after", "if", "while"];

pub(super) fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

pub(super) fn is_gerund(text: &str) -> bool {
    let word = first_word(text).to_lowercase();
    word == "using" || (word.ends_with("ing") && word.len() > 5)
}

/// Verbs with which an order starts.
static VERBS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "add always answer ask avoid break build bump call change check clean close commit confirm copy create delete \
    deploy document edit ensure escape explain export extend find fix follow format generate \
    give go handle import include install keep leave let link list log look make merge mock \
    move name open pass pin prefer push put read rebase regenerate remove rename replace reply \
    report respond restart return revert review run save search send set show sign skip sort \
    speak split squash start store switch take tell test throw try update use validate verify wrap write"
        .split(' ')
        .collect()
});
