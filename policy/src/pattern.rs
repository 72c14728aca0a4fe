//! What may follow a tool's name in parentheses.

use super::glob;
use super::path::PathPattern;
use super::shell::{Word, file_name};
use std::net::Ipv4Addr;

/// The pattern of a rule, by the kind of its tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pattern {
    Command(CommandPattern),
    Path(PathPattern),
    /// The host of an address; `*.` at its start stands for any subdomain.
    Domain(String),
    /// The kind of a sub-agent, or the name of a skill; may contain `*`.
    Name(String),
}

/// A pattern of command lines, compared with one program and its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandPattern {
    /// `git log:*` or `git log *`: the words, then anything.
    Prefix(Vec<String>),
    /// `git status`: the words and nothing else.
    Exact(Vec<String>),
    /// `*` elsewhere.
    Glob(String),
}

/// Whether a command is what a pattern of a blacklist means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    No,
    /// It depends on what an expansion gives.
    Maybe,
    Yes,
}

impl CommandPattern {
    /// Reads a pattern; `None` if it has no word.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let words =
            |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let prefix = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"));
        let pattern = match prefix {
            Some(prefix) if !prefix.contains('*') => Self::Prefix(words(prefix)),
            _ if text.contains('*') => Self::Glob(words(&text.replace(":*", " *")).join(" ")),
            _ => Self::Exact(words(text)),
        };
        let is_empty =
            matches!(&pattern, Self::Prefix(words) | Self::Exact(words) if words.is_empty());
        (!is_empty).then_some(pattern)
    }

    /// Returns whether it allows a command: every word of the pattern must be there to the letter.
    pub(super) fn allows(&self, words: &[Word]) -> bool {
        let starts_with = |pattern: &[String]| {
            words.len() >= pattern.len()
                && pattern
                    .iter()
                    .zip(words)
                    .all(|(wanted, word)| word.known && word.text == *wanted)
        };
        match self {
            Self::Prefix(pattern) => starts_with(pattern),
            Self::Exact(pattern) => words.len() == pattern.len() && starts_with(pattern),
            // Blanks inside a word and unknown words are characters that only a star can stand for.
            Self::Glob(pattern) => {
                words.first().is_some_and(|word| word.known) && {
                    let words = words.iter().map(|word| {
                        if word.known {
                            word.text.replace(char::is_whitespace, "\u{1}")
                        } else {
                            "\u{1}".to_owned()
                        }
                    });
                    glob::matches(pattern, &words.collect::<Vec<_>>().join(" "))
                }
            }
        }
    }

    /// Returns whether it forbids a command. Directories of the program and options before a word do not matter, so
    /// that `git push` forbids `/usr/bin/git -C x push`.
    pub(super) fn forbids(&self, words: &[Word]) -> Match {
        let Some(program) = words.first() else {
            return Match::No;
        };
        let is_program =
            |wanted: &str| file_name(wanted).eq_ignore_ascii_case(file_name(&program.text));
        match self {
            Self::Prefix(pattern) | Self::Exact(pattern) if !is_program(&pattern[0]) => Match::No,
            Self::Prefix(pattern) => follow(&pattern[1..], words),
            Self::Exact(_) if words.iter().any(|word| !word.known) => Match::Maybe,
            Self::Exact(pattern) => {
                let is_same = words.len() == pattern.len()
                    && pattern[1..]
                        .iter()
                        .zip(&words[1..])
                        .all(|(wanted, word)| word.text == *wanted);
                if is_same { Match::Yes } else { Match::No }
            }
            Self::Glob(pattern) => {
                let first = pattern.split(' ').next().unwrap_or_default();
                if !first.contains('*') && !is_program(first) {
                    return Match::No;
                }
                if words.iter().any(|word| !word.known) {
                    return Match::Maybe;
                }
                let rest: String = words[1..]
                    .iter()
                    .map(|word| format!(" {}", word.text))
                    .collect();
                let is_match = [&program.text, file_name(&program.text)]
                    .into_iter()
                    .chain((!first.contains('*')).then_some(first))
                    .any(|program| glob::matches(pattern, &format!("{program}{rest}")));
                if is_match { Match::Yes } else { Match::No }
            }
        }
    }
}

/// Returns a host in lower case; `None` if a browser could take it for another one, as it does `%65vil.com` and `127.1`.
pub(super) fn plain_host(host: &str) -> Option<String> {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let last = host.rsplit('.').next()?;
    let is_number = last.starts_with(|first: char| first.is_ascii_digit());
    let is_address = !is_number || host.parse::<Ipv4Addr>().is_ok();
    (!last.is_empty() && host.bytes().all(is_plain) && is_address).then_some(host)
}

/// Returns whether the wanted words follow the program in this order, with nothing but options and their values
/// between them.
fn follow(wanted: &[String], words: &[Word]) -> Match {
    let mut at = 1;
    for wanted in wanted {
        loop {
            let Some(word) = words.get(at) else {
                return Match::No;
            };
            if !word.known {
                return Match::Maybe;
            }
            at += 1;
            if word.text == *wanted {
                break;
            }
            let is_option = |word: &Word| word.text.starts_with('-');
            let is_value = at >= 3 && is_option(&words[at - 2]);
            if !is_option(word) && !is_value {
                return Match::No;
            }
        }
    }
    Match::Yes
}
