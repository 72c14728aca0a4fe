//! Parts of a sentence, and what each forbids or orders.

use crate::table::Lists;
use std::sync::LazyLock;

static WORDS: LazyLock<Lists> = LazyLock::new(|| Lists::new(include_str!("clause.txt")));

/// What may follow the first words of a clause.
const COMMAS: [char; 4] = [' ', ',', '，', '、'];

/// Words between two clauses.
const BORDERS: [&str; 5] = [" - ", " -- ", " but ", " and use ", " and then "];

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
                    let mut borders = BORDERS.iter();
                    let border = borders.find(|border| text[at..].starts_with(**border))?;
                    // The verb of "and use" is part of the next clause.
                    return Some((at, at + border.trim_end_matches("use ").len()));
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

pub(super) fn without_fillers(mut clause: &str) -> &str {
    'again: loop {
        for filler in WORDS.get("fillers") {
            let Some(rest) = strip_words(clause, filler) else {
                continue;
            };
            // "stop adding" and "stop the server" are no fillers but the matter itself.
            let is_order = *filler == "stop" && (is_gerund(rest) || is_program(rest));
            // Nor is "no quiero", which is no answer but a negation.
            let is_negation = *filler == "no" && !rest.starts_with(',') && !is_english(rest);
            if !is_order && !is_negation && !avoids(clause) {
                clause = rest.trim_start_matches(COMMAS);
                continue 'again;
            }
        }
        return clause;
    }
}

/// Returns whether a clause starts with a word that follows an English "no".
fn is_english(clause: &str) -> bool {
    let word = first_word(clause).to_lowercase();
    let word = word.trim_end_matches([',', '.']);
    word.is_empty() || WORDS.has("english", word) || is_verb(word) || avoids(clause)
}

pub(super) fn avoids(clause: &str) -> bool {
    let mut avoided = WORDS.get("avoided").iter();
    avoided.any(|words| *words != "stop" && strip_words(clause, words).is_some())
}

pub(super) fn avoided(clause: &str) -> Option<&str> {
    let rest = strip_any(clause, "avoided")?;
    if strip_words(rest, "not").is_some() || (starts_with(clause, "stop") && is_program(rest)) {
        return None;
    }
    let rest = strip_words(rest, "just").unwrap_or(rest);
    let (avoid, _) = contrast(without_end(rest));
    (!WORDS.has("states", first_word(avoid))).then_some(avoid)
}

pub(super) fn wanted(clause: &str) -> Option<&str> {
    let clause = without_end(clause);
    if let Some(order) = strip_any(clause, "left out") {
        return Some(order).filter(|order| is_verb(first_word(order)));
    }
    let order = strip_words(clause, "always").unwrap_or(clause);
    let is_order =
        is_verb(&first_word(order).to_lowercase()) || strip_words(order, "do it").is_some();
    let should_be = strip_any(clause, "should be").is_some();
    // "should be camelCase" has no verb to start with, so it stays whole.
    if is_order || should_be || clause.ends_with(" instead") {
        Some(clause.strip_suffix(" instead").unwrap_or(clause))
    } else {
        None
    }
}

/// Returns what a reproach wants: "you should have used X" means "use X".
pub(super) fn reproached(clause: &str) -> Option<String> {
    let (done, object) = strip_words(clause, "you should have")?.split_once(' ')?;
    let is_done = |verb: &&&str| {
        let (stem, last) = (verb.trim_end_matches(['e', 'y']), &verb[verb.len() - 1..]);
        let endings = ["ed", "ied", &format!("{last}ed")];
        done == **verb
            || done
                .strip_prefix(stem)
                .is_some_and(|end| endings.contains(&end))
    };
    let irregular = || WORDS.row("done", done)?.first().copied();
    let verb = irregular().or_else(|| WORDS.get("verbs").iter().find(is_done).copied())?;
    Some(format!("{verb} {object}"))
}

/// Returns both sides of "use X instead of Y".
pub(super) fn contrast(want: &str) -> (&str, Option<&str>) {
    // "Do not" in the middle is another order, and "is not" a statement.
    let is_contrast = |(before, _): &(&str, &str)| {
        let last = before.rsplit(' ').next().unwrap_or_default();
        !WORDS.has("negated", &last.to_lowercase())
    };
    [" instead of ", " rather than ", " and not ", " not "]
        .iter()
        .find_map(|words| want.split_once(words).filter(is_contrast))
        .map_or((want, None), |(want, other)| (want, Some(other)))
}

pub(super) fn without_end(mut text: &str) -> &str {
    for end in WORDS.get("ends") {
        text = text.strip_suffix(end).unwrap_or(text);
    }
    text.trim()
}

/// Returns what follows `words`, in any case, when they are whole words at the start.
pub(super) fn strip_words<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let head = text.get(..words.len())?;
    let rest = &text[words.len()..];
    let is_whole = rest.is_empty() || rest.starts_with(COMMAS);
    (head.eq_ignore_ascii_case(words) && is_whole).then(|| rest.trim_start())
}

/// Returns what follows the first words of a list with which a text starts.
fn strip_any<'a>(text: &'a str, list: &str) -> Option<&'a str> {
    let mut words = WORDS.get(list).iter();
    words.find_map(|words| strip_words(text, words))
}

fn is_verb(word: &str) -> bool {
    WORDS.has("verbs", word)
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
    sentence.contains(", ") && WORDS.has("cases", &first_word(sentence).to_lowercase())
}

pub(super) fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

/// Returns whether something is stopped that runs: "stop the server".
fn is_program(stopped: &str) -> bool {
    starts_with(stopped, "the") || starts_with(stopped, "my")
}

pub(super) fn is_gerund(text: &str) -> bool {
    let word = first_word(text).to_lowercase();
    word == "using" || (word.ends_with("ing") && word.len() > 5)
}
