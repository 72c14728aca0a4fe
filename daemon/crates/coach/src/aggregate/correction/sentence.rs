//! A correction in the user's own words, as a rule.

use super::clause::{
    avoided, avoids, first_word, is_order, starts_with, strip_words, without_fillers,
};
use super::one_time::is_about_scope;
use crate::aggregate::wording::one_line;
use crate::similarity::Keywords;
use crate::table::Lists;
use std::sync::LazyLock;

static WORDS: LazyLock<Lists> = LazyLock::new(|| Lists::new(include_str!("sentence.txt")));

/// Most characters of a rule in the user's words; a longer text is a task.
const MAX_CHARS: usize = 160;

/// Least letters of one: in Chinese or Japanese, six say something.
const MIN_LETTERS: usize = 6;

/// The lists of what one says before or after an instruction that is to hold for good.
const FROM_NOW_ON: &str = "from now on";
const ELSEWHERE: &str = "from now on elsewhere";

/// Most words before them, and one: "je souhaite dorénavant que …".
const MAX_LEAD: usize = 3;

/// Returns the sentence of a message of which it says that it holds from now on, without that.
pub(super) fn standing(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    find_any(&lower, ELSEWHERE).or_else(|| find_any(&lower, FROM_NOW_ON))?;
    let line = one_line(&text.replace('\u{2019}', "'"), 3 * MAX_CHARS);
    sentences(&line).find_map(|sentence| {
        let tags = [" ok?", " OK?", " okay?"];
        let without_tag = tags.iter().find_map(|tag| sentence.strip_suffix(tag));
        let sentence = without_fillers(without_tag.unwrap_or(sentence).trim_end_matches(END));
        let lower = sentence.to_lowercase();
        let elsewhere = find_any(&lower, ELSEWHERE)
            .filter(|(at, _)| lower[..*at].split(' ').count() <= MAX_LEAD);
        if let Some((at, mark)) = elsewhere {
            let after = sentence.get(at + mark.len()..)?;
            let after = after.trim_start_matches([',', '，', ' ']);
            return rule(&format!("{}{after}", sentence.get(..at)?));
        }
        let (at, mark) = find_any(&lower, FROM_NOW_ON)?;
        let (before, after) = (sentence.get(..at)?, sentence.get(at + mark.len()..)?);
        let before = before.trim_end_matches([',', ' ']);
        let after = after.trim_start_matches([',', ':', ' ']);
        let whole = format!("{before} {after}");
        let mut rules = [after, before, &whole]
            .into_iter()
            .filter_map(|part| rule(part.trim()));
        rules.find(|rule| !sentence.ends_with('?') && is_order(rule))
    })
}

/// Returns the first entry of a list that a text has, and where.
fn find_any(text: &str, list: &str) -> Option<(usize, &'static str)> {
    let mut entries = WORDS.get(list).iter();
    entries.find_map(|entry| Some((text.find(entry)?, *entry)))
}

/// Returns the part of a message that is the rule: the one with most words, without what only opens it. `None` if it is a
/// question or says too little.
pub(super) fn sentence(text: &str) -> Option<String> {
    let line = one_line(text, 3 * MAX_CHARS);
    let parts = sentences(&line).filter(|part| !part.ends_with(['?', '？']));
    let rules = parts.filter_map(|part| rule(part.trim_end_matches(END)));
    let rules = rules.filter(|rule| !is_report(rule));
    rules.max_by_key(|rule| (Keywords::new(rule).len(), std::cmp::Reverse(rule.len())))
}

fn is_report(sentence: &str) -> bool {
    let first = first_word(sentence).trim_end_matches(',').to_lowercase();
    let is_state = avoids(sentence) && avoided(sentence).is_none();
    let is_wish = starts_with(sentence, "i don't want");
    let is_about = WORDS.has("reports", &first) && !is_wish && !is_about_scope(sentence);
    is_state || is_about || (first.ends_with("ed") && first != "need")
}

/// What ends a sentence.
pub(super) const END: [char; 6] = ['.', '!', '。', '！', ',', ' '];

/// Returns a sentence without what only opens it, if it says enough for a rule.
pub(super) fn rule(sentence: &str) -> Option<String> {
    let best = without_interjection(without_fillers(sentence));
    let mut openings = WORDS.get("openings").iter();
    let best = openings
        .find_map(|opening| strip_words(best, opening))
        .unwrap_or(best);
    let letters = best.chars().filter(|letter| letter.is_alphabetic()).count();
    let is_rule = letters >= MIN_LETTERS && Keywords::new(best).len() >= 2;
    (is_rule && best.chars().count() <= MAX_CHARS).then(|| best.to_owned())
}

/// Returns the sentences of a line. A sign in the middle of a word, as in `a.rs`, ends none.
pub(super) fn sentences(line: &str) -> impl Iterator<Item = &str> {
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

/// Returns a sentence without the first words before a comma, or a rebuke there, if most of it follows: "wrong branch, always
/// branch off develop".
fn without_interjection(sentence: &str) -> &str {
    let is_rebuke = |start| WORDS.has("rebukes", &first_word(start).to_lowercase());
    match sentence.split_once(", ") {
        Some((start, rest))
            if (start.split(' ').count() <= 3 || is_rebuke(start))
                && Keywords::new(rest).len() > Keywords::new(start).len()
                && Keywords::new(rest).len() >= 2 =>
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
