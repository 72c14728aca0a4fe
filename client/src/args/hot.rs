//! A fast parser for the commands that scripts call most, in place of the whole definition.
//!
//! Building the whole definition takes longer than the call itself. Here, only the arguments of one command are built.
//! Whatever they do not fit (help, mistakes) is left to the whole definition.

use super::hook::HookArgs;
use super::session::SessionVerb;
use super::{Ccctl, Global, Noun};
use clap::{Args, Parser};
use std::ffi::OsString;

/// Options that may also come before the command.
const GLOBAL_VALUES: [&str; 3] = ["--socket", "--host", "-H"];
const GLOBAL_FLAGS: [&str; 4] = ["--json", "--no-start", "--verbose", "-v"];

/// The options and arguments of one command.
#[derive(Parser)]
struct OneCommand<A: Args> {
    #[command(flatten)]
    global: Global,
    #[command(flatten)]
    args: A,
}

#[derive(Args)]
struct NoArgs {}

/// Parses a command line of one of these commands; `None` for any other.
pub(super) fn parse(words: &[OsString]) -> Option<Ccctl> {
    let words = words.get(1..)?;
    let (first, words) = words.split_at(global_len(words));
    let (noun, rest) = words.split_first()?;
    match noun.to_str()? {
        // No time is lost with the most frequent call of all.
        "hook" if first.is_empty() && rest.is_empty() => Some(Ccctl {
            global: Global::default(),
            noun: Noun::Hook(HookArgs::default()),
        }),
        "hook" => one_command(first, rest, Noun::Hook),
        "mcp" => one_command(first, rest, |NoArgs {}| Noun::Mcp),
        "session" => {
            let (verb, rest) = rest.split_first()?;
            match verb.to_str()? {
                "send" => one_command(first, rest, |args| Noun::Session(SessionVerb::Send(args))),
                "expect" => {
                    one_command(first, rest, |args| Noun::Session(SessionVerb::Expect(args)))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Parses global options before the command, and the words after it.
fn one_command<A: Args>(
    first: &[OsString],
    rest: &[OsString],
    noun: impl FnOnce(A) -> Noun,
) -> Option<Ccctl> {
    let name = OsString::from("ccctl");
    let words = [&name].into_iter().chain(first).chain(rest);
    let OneCommand { global, args } = OneCommand::<A>::try_parse_from(words).ok()?;
    let noun = noun(args);
    Some(Ccctl { global, noun })
}

/// True if the command is `hook`, whatever else the words are. It must not fail, even if it does not understand them:
/// the settings file may have been written by a newer version, and Claude Code takes a usage error for a refusal.
pub(crate) fn names_hook(words: &[OsString]) -> bool {
    let words = words.get(1..).unwrap_or_default();
    words
        .get(global_len(words))
        .is_some_and(|word| word == "hook")
}

/// True for the words of `hook --policy`, whatever else they are: it must not succeed if it does not understand them.
pub(crate) fn names_policy(words: &[OsString]) -> bool {
    let is_option = |word: &OsString| {
        let word = word.as_encoded_bytes();
        word == b"--policy" || word.starts_with(b"--policy=")
    };
    names_hook(words) && words.iter().any(is_option)
}

/// Returns how many of the words are global options and their values, before the first other word.
fn global_len(words: &[OsString]) -> usize {
    let is_in = |list: &[&str], word: &OsString| list.iter().any(|option| word == option);
    let mut len = 0;
    while let Some(word) = words.get(len) {
        len += match word {
            word if is_in(&GLOBAL_FLAGS, word) => 1,
            word if is_in(&GLOBAL_VALUES, word) && len + 1 < words.len() => 2,
            _ => break,
        };
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn what_scripts_write_means_what_the_whole_definition_says() {
        for line in [
            "ccctl session send py 1+1 --expect 2 --json",
            "ccctl session send --no-start py --keys C-c,,Up",
            "ccctl session send -H ssh://h py -1",
            "ccctl session send py -k C-c -k Enter -v",
            "ccctl session send py -- -x",
            "ccctl session send py x -e a -e b --exact --raw --timeout 1.5",
            "ccctl session expect py a b --timeout none -v",
            "ccctl session expect py --eof --from 12",
            "ccctl --json --socket /s -v session send py x",
            "ccctl mcp",
            "ccctl --socket /s mcp --no-start",
            "ccctl hook",
            "ccctl --json hook",
            "ccctl hook --no-memory --spool-bytes 1048576",
            "ccctl hook --policy /run/it's",
        ] {
            let hot = parse(&words(line)).expect(line);
            let whole = Ccctl::try_parse_from(words(line)).unwrap();
            assert_eq!(format!("{hot:?}"), format!("{whole:?}"), "{line}");
        }
    }

    #[test]
    fn the_rest_is_left_to_the_whole_definition() {
        for line in [
            "ccctl",
            "ccctl session list",
            "ccctl --json session send --json py x",
            "ccctl --socket /s session send -H ssh://h py x",
            "ccctl --socket",
            "ccctl session send --help",
            "ccctl session send --version",
            "ccctl session send py",
            "ccctl session send py x y",
            "ccctl hook --new-option",
            "ccctl hook --help",
            "ccctl mcp x",
        ] {
            assert!(parse(&words(line)).is_none(), "{line}");
        }
    }

    #[test]
    fn a_hook_is_known_by_its_name_and_a_policy_by_its_option() {
        for (line, is_hook, is_policy) in [
            ("ccctl --socket /s hook --new-option x", true, false),
            ("ccctl hook --policy", true, true),
            ("ccctl --json hook --new-option --policy=x", true, true),
            ("ccctl hooks status", false, false),
            ("ccctl run hook --policy", false, false),
            ("ccctl", false, false),
        ] {
            let words = words(line);
            let named = (names_hook(&words), names_policy(&words));
            assert_eq!(named, (is_hook, is_policy), "{line}");
        }
    }
}
