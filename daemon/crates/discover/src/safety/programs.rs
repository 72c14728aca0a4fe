//! Judges the arguments of programs.

use super::rule::Rule::{self, Credentials, Deletion, PackageRemoval, Shutdown};
use super::tables::{ALWAYS, GIT, OPTIONS, REPEATING, SUBCOMMANDS};

pub(super) fn refusal(name: &str, arguments: &[&str]) -> Option<Rule> {
    let always = ALWAYS
        .iter()
        .find(|(_, names)| names.contains(&name))
        .map(|(rule, _)| *rule);
    always
        .or_else(|| by_word(name, arguments))
        .or_else(|| by_option(name, arguments))
        .or_else(|| special(name, arguments))
}

fn by_word(name: &str, arguments: &[&str]) -> Option<Rule> {
    let words: Vec<&str> = arguments
        .iter()
        .filter(|word| !is_option(word))
        .copied()
        .collect();
    let is_given = |wanted: &str| {
        let wanted: Vec<&str> = wanted.split(' ').collect();
        // The value of an option may be before the sub-command: `kubectl -n NAME delete`.
        let before = words.len().min(3);
        (0..before).any(|at| words[at..].starts_with(&wanted))
            && (words.starts_with(&wanted) || arguments.first().is_some_and(|word| is_option(word)))
    };
    let found = SUBCOMMANDS.iter().find(|(_, names, wanted)| {
        names.contains(&name) && wanted.iter().any(|words| is_given(words))
    });
    found.map(|(rule, _, _)| *rule)
}

fn by_option(name: &str, arguments: &[&str]) -> Option<Rule> {
    let found = OPTIONS
        .iter()
        .find(|(_, names, wanted)| names.contains(&name) && has_option(arguments, wanted));
    found.map(|(rule, _, _)| *rule)
}

fn special(name: &str, arguments: &[&str]) -> Option<Rule> {
    let rule = match name {
        "rm" | "grm" if deletes_by_force(arguments) => Deletion,
        "python" | "python3"
            if has_pair(arguments, "-m", &["pip"]) && arguments.contains(&"uninstall") =>
        {
            PackageRemoval
        }
        "git"
            if arguments.iter().any(|word| {
                GIT.iter()
                    .any(|(command, options)| word == command && has_option(arguments, options))
            }) =>
        {
            Deletion
        }
        "docker" | "podman"
            if matches!(arguments, ["rm" | "rmi", ..])
                && has_option(arguments, &["-f", "--force", "-v"]) =>
        {
            Deletion
        }
        "aws"
            if matches!(arguments, ["s3", "rm" | "rb", ..])
                && has_option(arguments, &["--recursive", "--force"]) =>
        {
            Deletion
        }
        "gsutil" if arguments.contains(&"rm") && has_option(arguments, &["-r", "-R", "-a"]) => {
            Deletion
        }
        _ if REPEATING.contains(&name)
            && arguments
                .iter()
                .any(|word| matches!(*word, "rm" | "/bin/rm" | "unlink" | "shred")) =>
        {
            Deletion
        }
        "kill" | "pkill" | "killall"
            if arguments
                .iter()
                .skip(1)
                .any(|word| matches!(*word, "-1" | "1")) =>
        {
            Shutdown
        }
        "passwd" if !has_option(arguments, &["-S", "--status"]) => Credentials,
        "chage" if !has_option(arguments, &["-l", "--list"]) => Credentials,
        "ssh-keygen" if !has_option(arguments, &["-l", "-F", "-y", "-B", "-L"]) => Credentials,
        _ => return None,
    };
    Some(rule)
}

/// Returns whether the options of rm ask for recursion or force, in any spelling that it accepts: `-fR`, `--rec`.
pub(super) fn deletes_by_force(arguments: &[&str]) -> bool {
    let options = arguments.iter().take_while(|word| **word != "--");
    options
        .filter(|word| is_option(word))
        .any(|word| match word.strip_prefix("--") {
            Some(name) => {
                !name.is_empty()
                    && ["recursive", "force", "no-preserve-root"]
                        .iter()
                        .any(|option| option.starts_with(name))
            }
            None => word.contains(['r', 'R', 'f']),
        })
}

/// Returns whether one of the options is among the arguments, a single letter also within others.
fn has_option(arguments: &[&str], wanted: &[&str]) -> bool {
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
                    .strip_prefix(option)
                    .is_some_and(|rest| rest.starts_with('='))
        })
    })
}

fn has_pair(arguments: &[&str], first: &str, second: &[&str]) -> bool {
    arguments
        .windows(2)
        .any(|pair| pair[0] == first && second.contains(&pair[1]))
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}
