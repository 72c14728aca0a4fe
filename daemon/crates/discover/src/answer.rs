//! What a program's answer to a line says.

use ccd_protocol::investigate::ErrorMessage;
use ccd_protocol::pattern::PatternType;
use ccd_text::expect::Cleaned;
use ccd_text::pattern::{Compiled, MAX_TEXT_BYTES};

/// Maximum number of errors of an answer, and of characters of one.
const MAX_ERRORS: usize = 20;
const MAX_ERROR_CHARS: usize = 500;

/// The category of lines that say only that something is wrong.
const GENERIC: &str = "generic";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Categories such as `json` and `table`.
    pub data_formats: Vec<String>,
    /// One for each line, at most 20.
    pub errors: Vec<ErrorMessage>,
    /// The state that the program says it is in, for example `config` of `Entering config mode`.
    pub state: Option<String>,
}

impl Answer {
    /// Reads what a program printed after `command`, at most 1 MiB of it.
    pub fn read(command: &str, output: &str, library: &Compiled) -> Self {
        let output = &output[..output.floor_char_boundary(MAX_TEXT_BYTES)];
        let found = library.classify(output);
        let cleaned = Cleaned::new(output);
        let lines: Vec<&str> = cleaned.text().lines().collect();
        let mut errors: Vec<ErrorMessage> = Vec::new();
        let mut last_line = 0;
        for error in found.matches {
            if error.pattern_type != PatternType::Error {
                continue;
            }
            if error.line == last_line {
                // `error: permission denied` is a generic error, and a certain one.
                if let Some(known) = errors.last_mut().filter(|known| known.category == GENERIC) {
                    known.category = error.category;
                }
                continue;
            }
            if errors.len() == MAX_ERRORS {
                break;
            }
            last_line = error.line;
            let line = lines
                .get(error.line - 1)
                .copied()
                .unwrap_or(&*error.matched);
            errors.push(ErrorMessage {
                category: error.category,
                message: line.trim().chars().take(MAX_ERROR_CHARS).collect(),
                command: command.to_owned(),
            });
        }
        Self {
            data_formats: found.data_formats,
            errors,
            state: found.state_transition,
        }
    }
}

/// Returns whether a program treats two words in the same way: the answers differ at most by the words themselves, by
/// numbers, and by blanks.
/// So the answer to a word of help can be compared with the answer to a word that makes no sense.
pub fn is_same_answer((word, answer): (&str, &str), (other_word, other): (&str, &str)) -> bool {
    // An answer may have the word for another reason: `help: run 'rustup default stable'`.
    shape("", answer) == shape("", other) || shape(word, answer) == shape(other_word, other)
}

/// Returns an answer without what depends on the word and on the number of the line.
fn shape(word: &str, answer: &str) -> String {
    let cleaned = Cleaned::new(answer);
    let answer = without_word(word.trim(), cleaned.text());
    let mut shape = String::with_capacity(answer.len());
    for part in answer.split_whitespace() {
        let mut is_number = false;
        for character in part.chars() {
            let is_digit = character.is_ascii_digit();
            if !is_digit {
                shape.push(character);
            } else if !is_number {
                shape.push('#');
            }
            is_number = is_digit;
        }
        shape.push(' ');
    }
    shape
}

/// Replaces a word where it is not a part of a longer one.
fn without_word(word: &str, text: &str) -> String {
    if word.is_empty() {
        return text.to_owned();
    }
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (starts, ends) = (
        is_part(word.chars().next()),
        is_part(word.chars().next_back()),
    );
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for (at, found) in text.match_indices(word) {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        if (starts && is_part(before)) || (ends && is_part(after)) {
            continue;
        }
        result.push_str(&text[done..at]);
        result.push('\u{fffc}');
        done = at + found.len();
    }
    result.push_str(&text[done..]);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_answer_that_only_repeats_the_word_is_the_same() {
        for (word, answer, other) in [
            (
                "help",
                "bash: help: command not found",
                "bash: xyzzy: command not found",
            ),
            (
                "h",
                "Undefined command: \"h\".  Try \"help\".",
                "Undefined command: \"xyzzy\".  Try \"help\".",
            ),
            (
                "usage",
                "Parse error near line 3: near \"usage\": syntax error\n  usage;\n  ^--- error here",
                "Parse error near line 12: near \"xyzzy\": syntax error\n  xyzzy;\n  ^--- error here",
            ),
            ("?", "error: ? is unknown", "error: xyzzy is unknown"),
            ("help", "\u{1b}[31mno help\u{1b}[0m", "no xyzzy"),
            ("", "", ""),
            (
                "help",
                "error: no default\nhelp: set one",
                "error: no default\nhelp: set one",
            ),
        ] {
            assert!(is_same_answer((word, answer), ("xyzzy", other)), "{answer}");
        }
        let help = "Commands:\n  add  Add it";
        assert!(!is_same_answer(
            ("help", help),
            ("xyzzy", "unknown command: xyzzy")
        ));
        assert!(!is_same_answer(
            ("help", "helpful"),
            ("xyzzy", "xyzzyful, really")
        ));
    }

    #[test]
    fn errors_formats_and_states_are_those_of_the_library() {
        let library = Compiled::built_in();
        let answer = Answer::read(
            "x",
            "bash: x: command not found\r\nls: y: Permission denied\r\nerror: permission denied\r\nerror: no\r\n",
            &library,
        );
        let errors: Vec<_> = answer
            .errors
            .iter()
            .map(|error| (&*error.category, &*error.message))
            .collect();
        assert_eq!(
            errors,
            [
                ("command_not_found", "bash: x: command not found"),
                ("permission_denied", "ls: y: Permission denied"),
                ("permission_denied", "error: permission denied"),
                ("generic", "error: no"),
            ]
        );
        let answer = Answer::read("config", "Entering config mode\n", &library);
        assert_eq!(
            (answer.state.as_deref(), answer.errors.len()),
            (Some("config"), 0)
        );
        assert_eq!(
            Answer::read("show", "{\"a\": 1}\n", &library).data_formats,
            ["json"]
        );
    }

    proptest! {
        #[test]
        fn any_word_can_be_compared(word in "(?s).{0,6}", answer in "(?s).{0,60}") {
            prop_assert!(is_same_answer((&word, &answer), (&word, &answer)));
        }
    }
}
