//! Prompts for secrets: what is typed there is one, whatever the echo does.

use crate::redact::is_secret_name;
use crate::words::{WordList, words};

/// Words for a secret in prompts, in lower case, by language.
static WORDS: WordList = WordList::new(|| words(include_str!("words/secrets.txt")));

/// The same for phrases, and for languages that do not separate words. A hyphen or an underscore counts as a blank.
static PHRASES: WordList = WordList::new(|| words(include_str!("words/phrases.txt")));

/// First words of questions that are answered with yes or no.
static YES_OR_NO: WordList = WordList::new(|| words(include_str!("words/yes_or_no.txt")));

const MAX_PROMPT_CHARS: usize = 160;

/// Maximum length of a prompt without a mark at its end, in words.
const MAX_UNMARKED_WORDS: usize = 5;

const ENDS: [char; 4] = [':', '：', '>', '?'];

/// Lines that are only a mark: the prompt is above them. Above an empty line may be what somebody typed.
const MARK_LINES: [&str; 8] = [">", ":", "?", "❯", "›", "»", "→", "➜"];

/// Marks that shells have at their ends too: `~/token ❯`.
const ARROWS: [char; 5] = ['❯', '›', '»', '→', '➜'];

/// First words of a line above a mark that asks without a colon. `Wrong password` does not.
const REQUESTS: [&str; 6] = ["enter", "give", "input", "paste", "provide", "type"];

/// The field that the answer fills, if the program has moved the cursor back into it: `[      ]`, `______`.
const FIELD: [char; 4] = ['[', ']', '_', ' '];

/// Returns whether a text ends with a prompt for a secret, which has a mark at its end, such as a colon.
pub fn asks_for_secret(text: &str) -> bool {
    let mut lines = text.rsplit(['\n', '\r']).map(str::trim);
    let line = lines.next().unwrap_or_default();
    if MARK_LINES.contains(&line) {
        // That may also be the echo of a line of code: `if user_password:`.
        let above = lines.find(|line| !line.is_empty()).unwrap_or_default();
        let prompt = above.strip_suffix([':', '：']);
        return match prompt {
            Some(prompt) => ends_with_secret_name(prompt),
            None => is_request(above) && ends_with_secret_name(above),
        };
    }
    let line = line.trim_end_matches(FIELD);
    let Some(prompt) = line.strip_suffix(ENDS) else {
        return false;
    };
    // An earlier prompt may be in the same line, because its answer was not echoed.
    let earlier_end = prompt
        .rmatch_indices(ENDS)
        .find(|(at, end)| prompt[at + end.len()..].starts_with(' '));
    let prompt = earlier_end.map_or(prompt, |(at, end)| &prompt[at + end.len()..]);
    if prompt.chars().count() > MAX_PROMPT_CHARS {
        return false;
    }
    let prompt = prompt.to_lowercase();
    let mut words = prompt.split(|c: char| !c.is_alphanumeric());
    let first = words.clone().find(|word| !word.is_empty());
    if line.ends_with('?') && first.is_some_and(|word| YES_OR_NO.contains(&word)) {
        return false;
    }
    words.any(is_secret_word) || {
        let prompt = prompt.replace(['-', '_'], " ");
        PHRASES.iter().any(|phrase| prompt.contains(phrase))
    }
}

/// Returns whether a line starts with a request, such as `Please enter`.
fn is_request(line: &str) -> bool {
    let line = line.to_lowercase();
    let mut words = line.split(' ').filter(|word| *word != "please");
    words.next().is_some_and(|word| REQUESTS.contains(&word))
}

/// Returns whether the last line of a text is a few words, the last of which name a secret, or ends with a name whose
/// values are redacted, and `=` or a colon. That is a prompt if the program waits and nothing has been typed since it was
/// printed.
pub fn ends_with_secret_name(text: &str) -> bool {
    let line = text.rsplit(['\n', '\r']).next().unwrap_or_default();
    let line = line.trim_end_matches(FIELD).trim();
    if let Some(assigned) = line.strip_suffix(['=', ':', '：']) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let name = assigned.trim_end().rsplit(|c| !is_name(c)).next();
        return line.chars().count() <= MAX_PROMPT_CHARS && name.is_some_and(is_secret_name);
    }
    let line = line.trim_end_matches(ARROWS).trim_end().to_lowercase();
    let is_plain = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'');
    let mut words = line.split(' ');
    line.chars().all(is_plain)
        && words.clone().count() <= MAX_UNMARKED_WORDS
        && (words.next_back().is_some_and(is_secret_word)
            || PHRASES.iter().any(|phrase| line.ends_with(phrase)))
}

fn is_secret_word(word: &str) -> bool {
    WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_lines::lines;

    #[test]
    fn prompts_for_secrets_are_recognised_in_many_languages() {
        for prompt in &lines("questions_for_a_secret") {
            assert!(asks_for_secret(prompt), "{prompt:?}");
        }
    }

    #[test]
    fn innocent_lines_are_not() {
        for line in &lines("no_questions_for_a_secret") {
            assert!(!asks_for_secret(line), "{line:?}");
        }
    }

    #[test]
    fn a_prompt_without_a_mark_is_a_few_words_that_end_with_a_secret() {
        for line in &lines("ends_with_a_secret") {
            assert!(ends_with_secret_name(line), "{line:?}");
        }
        for line in &lines("no_ends_with_a_secret") {
            assert!(!ends_with_secret_name(line), "{line:?}");
        }
    }
}
