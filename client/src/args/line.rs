//! A command line before it is parsed: its first word, and other spellings of commands.

use super::definition;
use super::definition::{lines_of, words};
use std::ffi::OsString;

/// Options that may also come before the command.
const GLOBAL_VALUES: [&str; 3] = ["--socket", "--host", "-H"];
const GLOBAL_FLAGS: [&str; 4] = ["--json", "--no-start", "--verbose", "-v"];

/// The words of a command line, without the name of the program.
#[derive(Debug)]
pub(crate) struct CommandLine<'a> {
    /// Global options and their values.
    pub(crate) before: &'a [OsString],
    /// The first other word.
    pub(crate) noun: Option<&'a str>,
    pub(crate) after: &'a [OsString],
}

impl<'a> CommandLine<'a> {
    pub(crate) fn of(words: &'a [OsString]) -> Self {
        let words = words.get(1..).unwrap_or_default();
        let (before, rest) = words.split_at(global_len(words));
        let (noun, after) = match rest.split_first() {
            Some((noun, after)) => (noun.to_str(), after),
            None => (None, rest),
        };
        Self {
            before,
            noun,
            after,
        }
    }

    /// True if there is nothing but global options.
    pub(crate) fn is_empty(&self) -> bool {
        self.noun.is_none() && self.after.is_empty()
    }

    /// True if the command is `hook`, whatever else the words are. It must not fail, even if it does not understand them:
    /// the settings file may have been written by a newer version, and Claude Code takes a usage error for a refusal.
    pub(crate) fn is_hook(&self) -> bool {
        self.noun == Some("hook")
    }

    /// True for `hook --policy`, whatever else the words are: it must not succeed if it does not understand them.
    pub(crate) fn is_policy(&self) -> bool {
        let is_option = |word: &OsString| {
            let word = word.as_encoded_bytes();
            word == b"--policy" || word.starts_with(b"--policy=")
        };
        self.is_hook() && self.after.iter().any(is_option)
    }
}

/// Returns how many of the words are global options and their values, before the first other word.
pub(super) fn global_len(words: &[OsString]) -> usize {
    let is_in = |list: &[&str], word: &OsString| list.iter().any(|option| word == option);
    let mut len = 0;
    while let Some(word) = words.get(len) {
        let has_value = |word: &str| word.starts_with("--socket=") || word.starts_with("--host=");
        len += match word {
            word if is_in(&GLOBAL_FLAGS, word) || word.to_str().is_some_and(has_value) => 1,
            word if is_in(&GLOBAL_VALUES, word) && len + 1 < words.len() => 2,
            _ => break,
        };
    }
    len
}

/// Returns the words as the definition spells them: `help` as an option, and long and old forms replaced.
pub(super) fn respelled(words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_none_or(|word| word != "help") {
        return replaced(words);
    }
    let mut words = words;
    words.remove(1);
    with_help(replaced(words))
}

/// Returns the words before the one that is being typed as the definition spells them.
pub(crate) fn spelled_out(words: &[String]) -> Vec<String> {
    let mut words: Vec<OsString> = words.iter().map(OsString::from).collect();
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
    }
    let words = replaced(words).into_iter();
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// Verbs that a noun has besides those of its definition: the words of daily use, by their name after the noun.
pub(crate) fn other_verbs(noun: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    spellings().filter_map(move |(old, new)| {
        let (_, verb) = old.split_once(' ').filter(|(of, _)| *of == noun)?;
        Some((verb, words().find(|word| word.name == new)?.about))
    })
}

/// Returns the words of the command that calls a method.
pub(crate) fn command_of_method(method: &str) -> String {
    let words = method.replace('.', " ");
    let new = spellings().find(|(old, _)| *old == words);
    new.map_or(words, |(_, new)| new.to_owned())
}

/// Long forms, and words of earlier versions, with the words that replace them. Scripts may have them.
fn spellings() -> impl Iterator<Item = (&'static str, &'static str)> {
    lines_of("other spellings")
}

fn replaced(mut words: Vec<OsString>) -> Vec<OsString> {
    let at = |words: &[OsString], from: usize| {
        let rest = words.get(from..).unwrap_or_default();
        from + global_len(rest)
    };
    let first = at(&words, 1);
    let second = at(&words, first + 1);
    let word = |at: usize| words.get(at).and_then(|word| word.to_str());
    let Some(noun) = word(first) else {
        return words;
    };
    let found = spellings().find(|(old, _)| match old.split_once(' ') {
        Some((old, verb)) => old == noun && word(second) == Some(verb),
        None => *old == noun,
    });
    if let Some((old, new)) = found {
        if old.contains(' ') {
            words.remove(second);
        }
        words.splice(first..=first, new.split(' ').map(OsString::from));
    }
    with_default_verb(words, first)
}

/// Adds the verb of a noun that lists when it stands alone.
fn with_default_verb(mut words: Vec<OsString>, noun: usize) -> Vec<OsString> {
    let is_verb = |word: &OsString| {
        let is_help = word == "-h" || word == "--help";
        is_help || !word.as_encoded_bytes().starts_with(b"-")
    };
    let rest = words.get(noun + 1..).unwrap_or_default();
    let next = rest.get(global_len(rest));
    if words.get(noun).is_some_and(|word| word == "agents") && !next.is_some_and(is_verb) {
        words.insert(noun + 1, "list".into());
    }
    words
}

/// Adds `--help` after the command. Words that are not subcommands are dropped, because they could be a program's.
fn with_help(words: Vec<OsString>) -> Vec<OsString> {
    let mut asked: Vec<OsString> = words.iter().take(2).cloned().collect();
    let noun = words.get(1).and_then(|word| word.to_str());
    let definition = noun.and_then(definition);
    // clap reports a word that does not exist.
    if noun.is_some() && definition.is_none() {
        return asked;
    }
    let mut command = definition.as_ref();
    for word in words.iter().skip(2) {
        let Some(known) = command.filter(|command| command.has_subcommands()) else {
            break;
        };
        asked.push(word.clone());
        command = match known.find_subcommand(word) {
            Some(found) => Some(found),
            None if word.as_encoded_bytes().starts_with(b"-") => {
                asked.pop();
                break;
            }
            None => return asked,
        };
    }
    asked.push("--help".into());
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_hook_is_known_by_its_name_and_a_policy_by_its_option() {
        for (line, is_hook, is_policy) in [
            ("ccctl --socket /s hook --new-option x", true, false),
            ("ccctl --socket=/s hook --new-option x", true, false),
            ("ccctl hook --policy", true, true),
            ("ccctl --json hook --new-option --policy=x", true, true),
            ("ccctl hooks status", false, false),
            ("ccctl run hook --policy", false, false),
            ("ccctl", false, false),
        ] {
            let words = words(line);
            let line_of = CommandLine::of(&words);
            let named = (line_of.is_hook(), line_of.is_policy());
            assert_eq!(named, (is_hook, is_policy), "{line}");
        }
    }

    #[test]
    fn help_and_other_spellings_become_the_words_of_the_definition() {
        for (asked, meant) in [
            ("ccctl help", "ccctl --help"),
            ("ccctl help session get", "ccctl session get --help"),
            ("ccctl help session send", "ccctl send --help"),
            ("ccctl help run ls", "ccctl run --help"),
            ("ccctl help nothing", "ccctl nothing"),
            ("ccctl run help", "ccctl run help"),
            (
                "ccctl session create -- session send",
                "ccctl new -- session send",
            ),
            (
                "ccctl --json session --socket /s send x",
                "ccctl --json send --socket /s x",
            ),
            ("ccctl logs py -f", "ccctl logs py -f"),
            (
                "ccctl play --fallback proxy --record new bc",
                "ccctl play --fallback proxy --record new bc",
            ),
            ("ccctl run proxy", "ccctl run proxy"),
            ("ccctl session", "ccctl session"),
        ] {
            assert_eq!(respelled(words(asked)), words(meant), "{asked}");
        }
    }

    #[test]
    fn every_other_spelling_is_none_of_the_definition_and_means_one_of_it() {
        for (old, new) in spellings() {
            let has = |line: &str| {
                let mut words = line.split(' ').filter(|word| !word.starts_with('-'));
                let noun = words.next().and_then(definition);
                match (noun, words.next()) {
                    (Some(noun), Some(verb)) if noun.has_subcommands() => {
                        noun.find_subcommand(verb).is_some()
                    }
                    (noun, _) => noun.is_some(),
                }
            };
            assert!(!has(old) && has(new), "{old} {new}");
        }
    }
}
