//! A correction in the user's own words, as a rule.

use super::clause::without_fillers;
use crate::aggregate::wording::one_line;
use crate::similarity::Keywords;

/// Most characters of a rule in the user's words; a longer text is a task.
const MAX_CHARS: usize = 160;

/// Least letters of one: in Chinese or Japanese, six say something.
const MIN_LETTERS: usize = 6;

/// Words that limit what is said to this moment or this task.
const ONLY_NOW: &[&str] = &[
    "for now",
    "this time",
    "just this once",
    "right now",
    "then stop",
    "in this pr",
    "in this commit",
    "for this task",
    "for this one",
    "revert it",
    "revert that",
    "undo that",
    "undo it",
    "try again",
    "go back",
];

/// What one says before the matter: who follows the rule.
const OPENINGS: &[&str] = &[
    "we ",
    "you should ",
    "you must ",
    "you need to ",
    "i want you to ",
    "i'd like you to ",
    "remember to ",
    "make sure to ",
    "make sure you ",
];

/// Returns whether a correction counts for this moment or this task only.
pub(super) fn is_only_now(text: &str) -> bool {
    let lower = text.to_lowercase();
    ONLY_NOW.iter().any(|words| lower.contains(words))
}

/// Returns the part of a message that is the rule: the one with most words, without what only opens it. `None` if it is a
/// question or says too little.
pub(super) fn sentence(text: &str) -> Option<String> {
    let line = one_line(text, 3 * MAX_CHARS);
    let parts = sentences(&line).filter(|part| !part.ends_with(['?', '？']));
    let best =
        parts.max_by_key(|part| (Keywords::of(part).len(), std::cmp::Reverse(part.len())))?;
    let best = without_fillers(best.trim_end_matches(['.', '!', '。', '！', ' ']));
    let best = without_interjection(best);
    let opening = OPENINGS.iter().find(|opening| {
        best.get(..opening.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(opening))
    });
    let best = opening.map_or(best, |opening| &best[opening.len()..]);
    let letters = best.chars().filter(|letter| letter.is_alphabetic()).count();
    let is_rule = letters >= MIN_LETTERS && Keywords::of(best).len() >= 2;
    (is_rule && best.chars().count() <= MAX_CHARS).then(|| best.to_owned())
}

/// Returns the sentences of a line. A sign in the middle of a word, as in `a.rs`, ends none.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let is_end = |(at, sign): &(usize, char)| match sign {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => rest[at + 1..].is_empty() || rest[at + 1..].starts_with(' '),
            _ => false,
        };
        let end = rest.char_indices().find(is_end);
        let end = end.map_or(rest.len(), |(at, sign)| at + sign.len_utf8());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

/// Returns a sentence without the first words before a comma, if most of it follows: "wrong branch, always branch off
/// develop".
fn without_interjection(sentence: &str) -> &str {
    match sentence.split_once(", ") {
        Some((start, rest))
            if start.split(' ').count() <= 3
                && Keywords::of(rest).len() > Keywords::of(start).len()
                && Keywords::of(rest).len() >= 2 =>
        {
            without_fillers(rest)
        }
        _ => sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_stays_in_the_words_of_the_user() {
        for (text, expected) in [
            (
                "No, we put tests next to the source file",
                Some("put tests next to the source file"),
            ),
            (
                "wrong branch, always branch off develop",
                Some("always branch off develop"),
            ),
            ("amounts are in cents", Some("amounts are in cents")),
            (
                "That's wrong. Amounts are in cents!",
                Some("Amounts are in cents"),
            ),
            (
                "please keep a.rs free of unwrap. ok?",
                Some("keep a.rs free of unwrap"),
            ),
            (
                "Te dije que no uses npm, usa pnpm",
                Some("Te dije que no uses npm, usa pnpm"),
            ),
            ("我说过不要修改生成的文件", Some("我说过不要修改生成的文件")),
            ("no", None),
            ("that's wrong", None),
            ("what did you do to the config?", None),
        ] {
            assert_eq!(sentence(text).as_deref(), expected, "{text}");
        }
    }
}
