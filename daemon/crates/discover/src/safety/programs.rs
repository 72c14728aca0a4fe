//! Judges the arguments of programs.

use super::files::{is_device, written};
use super::rule::Rule;
use super::tables::{ProgramRule, TABLES, Words};

pub(super) fn refusal(name: &str, arguments: &[&str]) -> Option<Rule> {
    let mut rules = TABLES.programs.iter();
    let found = rules.find(|rule| rule.programs.contains(name) && rule.applies_to(arguments));
    found
        .map(|found| found.rule)
        .or_else(|| special(name, arguments))
}

impl ProgramRule {
    fn applies_to(&self, arguments: &[&str]) -> bool {
        let starts = |word: &&str| self.prefixes.iter().any(|start| word.starts_with(start));
        arguments.len() >= self.least_arguments
            && (self.commands.is_empty() || has_command(arguments, &self.commands))
            && (self.options.is_empty() || has_option(arguments, &self.options))
            && self.words.iter().all(|words| has_word(arguments, words))
            && (self.prefixes.is_empty() || arguments.iter().any(starts))
            && !has_option(arguments, &self.unless_options)
            && !has_word(arguments, &self.unless_words)
    }
}

/// Judges programs for which the table has no words.
fn special(name: &str, arguments: &[&str]) -> Option<Rule> {
    let any = |is_wanted: fn(&str) -> bool| arguments.iter().any(|word| is_wanted(word));
    let first = arguments.first().copied().unwrap_or_default();
    let rule = match name {
        "rm" | "grm" if deletes_by_force(arguments) => Rule::Deletion,
        "kill" | "pkill" | "killall" if is_for_init(arguments) => Rule::Shutdown,
        "dd" if any(|word| word.strip_prefix("of=").is_some_and(is_device)) => Rule::Disk,
        "format" if is_drive(first) => Rule::Disk,
        "ln" if arguments.iter().skip(1).any(|word| is_device(word)) => Rule::Disk,
        "tee" | "cp" | "mv" | "install" => return arguments.iter().find_map(|file| written(file)),
        "sysctl" if any(|word| word.starts_with("net.")) && any(|word| word.contains('=')) => {
            Rule::Network
        }
        "hostname" if !first.is_empty() && !first.starts_with('-') => Rule::Network,
        _ if name.starts_with("mkfs.") || name.starts_with("newfs_") => Rule::Disk,
        _ => return None,
    };
    Some(rule)
}

/// Returns whether a signal is sent to the first process or to all of them; `kill -1` names only a signal.
fn is_for_init(arguments: &[&str]) -> bool {
    let mut processes = arguments.iter().skip(1);
    processes.any(|word| matches!(*word, "-1" | "1"))
}

/// Returns whether the options of rm ask for recursion or force, in any spelling that it accepts: `-fR`, `--rec`.
pub(super) fn deletes_by_force(arguments: &[&str]) -> bool {
    const LONG: [&str; 3] = ["--recursive", "--force", "--no-preserve-root"];
    let mut words = arguments.iter().take_while(|word| **word != "--");
    words.any(|word| {
        let is_short = is_option(word) && !word.starts_with("--");
        LONG.iter()
            .any(|option| word.len() > 2 && option.starts_with(word))
            || is_short && word.contains(['r', 'R', 'f'])
    })
}

/// Returns whether one of the sub-commands is given.
fn has_command(arguments: &[&str], wanted: &[String]) -> bool {
    let words = arguments.iter().filter(|word| !is_option(word));
    let words: Vec<&str> = words.copied().collect();
    // The value of an option may be before the sub-command: `kubectl -n NAME delete`.
    let has_option = arguments.first().is_some_and(|word| is_option(word));
    let starts = if has_option { words.len().min(3) } else { 1 };
    wanted.iter().any(|wanted| {
        let wanted: Vec<&str> = wanted.split(' ').collect();
        (0..starts).any(|at| words.get(at..).unwrap_or_default().starts_with(&wanted))
    })
}

/// Returns whether one of the options is among the arguments, a single letter also within others.
fn has_option(arguments: &[&str], wanted: &Words) -> bool {
    arguments.iter().any(|word| {
        wanted.iter().any(|option| {
            let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
            let is_among = |letter: &str| {
                is_option(word)
                    && !word.starts_with("--")
                    && word.len() <= 5
                    && word.contains(letter)
            };
            word == option
                || letter.is_some_and(is_among)
                || word
                    .strip_prefix(option.as_str())
                    .is_some_and(|rest| rest.starts_with('='))
        })
    })
}

fn has_word(arguments: &[&str], wanted: &Words) -> bool {
    let is_wanted = |word: &&str| {
        wanted.contains(*word) || !is_option(word) && wanted.contains(&word.to_lowercase())
    };
    arguments.iter().any(is_wanted)
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// Returns whether a word is a drive of Windows, such as `c:`.
fn is_drive(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(|c| c.is_ascii_alphabetic()) && characters.next() == Some(':')
}
