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
            if !is_order && !avoids(clause) {
                clause = rest.trim_start_matches([',', ' ']);
                continue 'again;
            }
        }
        return clause;
    }
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
    "we don't",
    "we do not",
    "we never",
    "you can't",
    "no more",
];

fn avoids(clause: &str) -> bool {
    AVOIDED
        .iter()
        .any(|words| *words != "stop" && strip_words(clause, words).is_some())
}

/// Returns what a clause forbids.
pub(super) fn avoided(clause: &str) -> Option<&str> {
    let rest = AVOIDED
        .iter()
        .find_map(|words| strip_words(clause, words))?;
    Some(without_end(rest))
}

/// Returns what a clause orders.
pub(super) fn wanted(clause: &str) -> Option<&str> {
    let clause = without_end(clause);
    let order = strip_words(clause, "always").unwrap_or(clause);
    let is_order = VERBS.contains(first_word(order).to_lowercase().as_str());
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
    [" instead of ", " rather than ", " and not ", " not "]
        .iter()
        .find_map(|words| want.split_once(words))
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

pub(super) fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

pub(super) fn is_gerund(text: &str) -> bool {
    let word = first_word(text).to_lowercase();
    word == "using" || (word.ends_with("ing") && word.len() > 5)
}

/// Verbs with which an order starts.
static VERBS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "add always ask avoid break bump call change check clean close commit copy create delete \
    deploy document edit ensure escape explain export extend find fix follow format generate \
    give go handle import include install keep leave let link list log look make merge mock \
    move name open pass pin prefer push put read rebase regenerate remove rename replace \
    report restart return revert review run save search send set show sign skip sort split \
    squash start store switch take tell test throw try update use validate verify wrap write"
        .split(' ')
        .collect()
});
