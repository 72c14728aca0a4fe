//! Text that may become part of a rule.
//! A rule is written into a file that a model obeys, so a text from outside is one line, has no control characters and no
//! comment marks, and is not long. Nothing that changes from event to event, such as a count, may be part of trigger or
//! action: each value would have its own fingerprint.

use crate::fingerprint::{CandidateType, Fingerprint, fingerprint};
use crate::similarity::Keywords;
use crate::table::word_set;
use ccd_base::visible::is_invisible;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::LazyLock;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wording {
    pub(crate) candidate_type: CandidateType,
    pub(crate) title: String,
    /// "when …"
    pub(crate) trigger: String,
    pub(crate) action: String,
}

impl Wording {
    /// Returns a wording, or none when it says too little to be a rule.
    pub(super) fn new(
        kind: CandidateType,
        title: &str,
        trigger: &str,
        action: &str,
    ) -> Option<Self> {
        let wording = Self {
            candidate_type: kind,
            title: sentence_case(&one_line(title, MAX_TITLE)),
            trigger: one_line(trigger, MAX_TRIGGER),
            action: one_line(action, MAX_ACTION),
        };
        (!wording.is_vague()).then_some(wording)
    }
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        fingerprint(self.candidate_type, &self.trigger, &self.action)
    }

    /// Returns whether a part is too short to mean anything, or all of it is small words.
    fn is_vague(&self) -> bool {
        // In bytes, because Chinese says more with a letter.
        let too_short = |text: &str| text.len() < MIN_PART;
        let says = Keywords::new(&self.action).len();
        too_short(&self.trigger)
            || (too_short(&self.action) && says < MIN_KEYWORDS)
            || says == 0
            || Keywords::new(&format!("{} {}", self.trigger, self.action)).len() < MIN_KEYWORDS
    }
}

const MAX_TITLE: usize = 160;
const MAX_TRIGGER: usize = 160;
const MAX_ACTION: usize = 240;
const MIN_PART: usize = 15;
const MIN_KEYWORDS: usize = 2;

/// Names that are written in lower case, also at the start of a sentence.
static PROGRAM_NAMES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word_set(include_str!("program_names.txt")));

/// How much of a text is looked at for one line, and four times the line besides.
const MAX_READ: usize = 400;

/// Returns a text as one line of at most `max_chars` characters, cut between words.
pub(super) fn one_line(text: &str, max_chars: usize) -> String {
    if text.len() <= max_chars && is_one_line(text) {
        return text.to_owned();
    }
    // The rest is cut anyway, also when much of the start is white space or hidden.
    let clean: String = text
        .chars()
        .take(MAX_READ + 4 * max_chars)
        .map(|c| {
            if c.is_whitespace() || c.is_control() {
                ' '
            } else {
                c
            }
        })
        .filter(|c| !is_invisible(*c))
        .collect();
    let mut words = String::new();
    let mut chars = 0;
    for word in without_comment_marks(clean).split_whitespace() {
        let word_chars = word.chars().count();
        let blank = usize::from(chars > 0);
        if chars + blank + word_chars > max_chars {
            if chars == 0 {
                words = word.chars().take(max_chars).collect();
            }
            return without_open_quote(words);
        }
        if blank == 1 {
            words.push(' ');
        }
        words.push_str(word);
        chars += blank + word_chars;
    }
    words
}

/// Returns whether nothing is to be changed in a text, as in most commands: it has words of ASCII, one blank between them,
/// and no part of a comment mark.
fn is_one_line(text: &str) -> bool {
    text.split(' ').all(|word| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b'<' && byte != b'>')
    })
}

/// Returns a text in code marks, or none when it cannot be shown as one short line.
pub(super) fn code(text: &str) -> String {
    format!("`{}`", one_line(text, 80).replace('`', "'"))
}

/// Returns a quotation for evidence: one line of at most 200 characters.
pub(super) fn quote(text: &str) -> String {
    one_line(text, 200)
}

/// Removes comment marks until none is left: removing one can make another.
fn without_comment_marks(mut text: String) -> String {
    while text.contains("<!--") || text.contains("-->") || text.contains("--!>") {
        text = text
            .replace("<!--", "")
            .replace("-->", "")
            .replace("--!>", "");
    }
    text
}

/// Drops what follows a code mark that the cut left open, and punctuation at the end.
fn without_open_quote(mut text: String) -> String {
    if text.matches('`').count() % 2 == 1
        && let Some(open) = text.rfind('`')
    {
        text.truncate(open);
    }
    text.truncate(text.trim_end_matches([' ', ',', ';', ':', '-', '(']).len());
    text
}

/// Returns a text with a capital first letter, unless it starts with a name or with code.
pub(crate) fn sentence_case(text: &str) -> String {
    let first_word = text.split(' ').next().unwrap_or_default();
    let is_plain = first_word
        .chars()
        .all(|c| c.is_lowercase() || matches!(c, '\'' | ','));
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if is_plain && !PROGRAM_NAMES.contains(first_word) => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_is_cut_between_words() {
        assert_eq!(one_line("a  long\n\ttext", 80), "a long text");
        assert_eq!(
            one_line("run the formatter, then `git commit`", 29),
            "run the formatter, then"
        );
        assert_eq!(one_line("abcdefgh", 3), "abc");
    }

    #[test]
    fn comment_marks_and_hidden_characters_are_removed() {
        assert_eq!(one_line("a <<!--!-- b --> c\u{202e}\u{0}d", 80), "a b c d");
    }

    #[test]
    fn names_keep_their_case() {
        assert_eq!(sentence_case("run tests"), "Run tests");
        assert_eq!(
            sentence_case("npm needs a lock file"),
            "npm needs a lock file"
        );
        assert_eq!(sentence_case("`git push` first"), "`git push` first");
        assert_eq!(sentence_case("eBay first"), "eBay first");
    }

    #[test]
    fn a_wording_that_says_nothing_is_none() {
        let make = |trigger, action| Wording::new(CandidateType::Rule, "t", trigger, action);
        assert_eq!(make("when about to do that", "do not do that again"), None);
        assert_eq!(make("when", "change the source instead"), None);
        assert!(make("when about to edit generated files", "change the source").is_some());
    }

    proptest! {
        #[test]
        fn any_text_becomes_one_safe_line(text in "(?s)([<!>`a \n-]|.){0,80}", max in 1_usize..60) {
            let line = one_line(&text, max);
            prop_assert!(line.chars().count() <= max);
            prop_assert!(!line.contains("<!--") && !line.contains("-->") && !line.contains(char::is_control));
            prop_assert_eq!(one_line(&line, max), line);
        }
    }
}
