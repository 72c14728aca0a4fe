//! Mistakes on the command line, told in one line, and `ccctl help`.

use super::{Ccctl, Global, Noun};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser as _};
use std::ffi::OsString;

/// Verbs that are spoken of but come with later versions.
const LATER: &[&str] = &[
    "coach",
    "conversations",
    "exec",
    "fuzz",
    "hook",
    "investigate",
    "learn",
    "mcp",
    "memory",
    "pipe",
    "probe",
    "test",
    "upgrade",
];

/// Returns what clap has to say of `words` as one line without its leading `error:`, with where help is found.
pub(crate) fn explain(error: &clap::Error, words: &[OsString]) -> String {
    if let Some(verb) = later(error) {
        return format!(
            "{verb} comes with a later version; {} --help shows what there is",
            command_of(words)
        );
    }
    if lacks_verb(error) {
        let command = command_of(words);
        return format!("{command} needs a verb; {command} --help shows which there are");
    }
    if error.kind() == ErrorKind::InvalidUtf8
        && let Some(word) = words.iter().find(|word| word.to_str().is_none())
    {
        return format!("the argument {word:?} is not UTF-8, which all arguments must be");
    }
    let mut text = error.render().to_string();
    // It was not said here, but in the environment.
    if !words
        .iter()
        .any(|word| word.to_string_lossy().starts_with("--detach-keys"))
    {
        text = text.replace("'--detach-keys <KEYS>'", "$CCD_DETACH_KEYS");
    }
    let mistake = text
        .split_once("\nUsage: ")
        .map_or(&*text, |halves| halves.0);
    let mut line = String::new();
    for part in mistake
        .lines()
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let part = part.strip_prefix("error: ").unwrap_or(part);
        if part.starts_with("For more information") {
            continue;
        }
        if !line.is_empty() {
            line.push_str(if part.starts_with("tip: ") { "; " } else { " " });
        }
        line.push_str(part.strip_prefix("tip: ").unwrap_or(part));
    }
    format!("{line}; {} --help shows more", command_of(words))
}

fn lacks_verb(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
    )
}

/// The global options, when nothing but them was said.
pub(crate) fn only_global(error: &clap::Error, words: &[OsString]) -> Option<Global> {
    if !lacks_verb(error) {
        return None;
    }
    // Any verb without arguments makes a whole line of it, unless there is one already.
    let whole = words.iter().cloned().chain([OsString::from("version")]);
    let parsed = Ccctl::try_parse_from(whole).ok()?;
    matches!(parsed.noun, Noun::Version).then_some(parsed.global)
}

/// Prints what there is.
pub(crate) fn print_help() {
    let _ = Ccctl::command().print_help();
}

/// True when a mistake in `words` is to be told as JSON. What follows `--` belongs to a program.
pub(crate) fn wants_json(words: &[OsString]) -> bool {
    words
        .iter()
        .take_while(|word| *word != "--")
        .any(|word| word == "--json")
}

/// Returns `ccctl NOUN VERB --help` for `ccctl help NOUN VERB`, and all other words as they are.
///
/// Words that name no verb are dropped behind a verb, because they could be a program's.
pub(super) fn with_help(words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_none_or(|word| word != "help") {
        return words;
    }
    let mut command = &Ccctl::command();
    let mut asked: Vec<OsString> = words[..1].to_vec();
    for word in &words[2..] {
        if command.get_subcommands().next().is_none() {
            break;
        }
        asked.push(word.clone());
        match command.find_subcommand(word) {
            Some(found) => command = found,
            None => return asked, // clap tells that there is none
        }
    }
    asked.push("--help".into());
    asked
}

/// The verb of a later version that was asked for.
fn later(error: &clap::Error) -> Option<&str> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    match error.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(verb) => LATER.contains(&&**verb).then_some(verb),
        _ => None,
    }
}

/// The command that the words name, as far as they do.
fn command_of(words: &[OsString]) -> String {
    let mut command = &Ccctl::command();
    let mut names = String::from("ccctl");
    let mut words = words.iter().skip(1).peekable();
    words.next_if(|word| *word == "help");
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if text == "--socket" {
            words.next();
        } else if !text.starts_with('-') {
            let Some(found) = command.find_subcommand(word) else {
                break;
            };
            names.push(' ');
            names.push_str(&text);
            command = found;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &[&str]) -> Vec<OsString> {
        line.iter().map(OsString::from).collect()
    }

    fn explain(line: &[&str]) -> String {
        let words = words(line);
        let line = super::explain(&Ccctl::try_parse_from(&words).unwrap_err(), &words);
        assert!(!line.contains('\n'), "{line}");
        line
    }

    #[test]
    fn a_mistake_is_one_line_with_the_place_of_help() {
        let line = explain(&["ccctl", "session", "list", "--al"]);
        assert!(
            line.starts_with("unexpected argument '--al' found; "),
            "{line}"
        );
        assert!(line.contains("'--all'"), "{line}");
        assert!(
            line.ends_with("; ccctl session list --help shows more"),
            "{line}"
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let line = explain(&["ccctl", "session", "signal", "py"]);
        assert!(line.contains("<SIGNAL>"), "{line}");
        let line = explain(&["ccctl", "--socket", "s", "session", "resize", "py", "big"]);
        assert!(line.contains("give ROWSxCOLS"), "{line}");
        assert!(
            line.ends_with("; ccctl session resize --help shows more"),
            "{line}"
        );
    }

    #[test]
    fn a_negative_number_is_told_what_may_be_given() {
        for line in [
            &["ccctl", "run", "--timeout", "-1", "ls"][..],
            &["ccctl", "session", "wait", "py", "--idle", "-5"],
            &["ccctl", "session", "read", "py", "--since", "-1"],
            &["ccctl", "session", "expect", "py", "x", "--from", "-1"],
            &["ccctl", "session", "tail", "py", "--lines", "-1"],
            &["ccctl", "session", "close", "py", "--grace", "-0.5"],
            &["ccctl", "job", "list", "--limit", "-1"],
        ] {
            let line = explain(line);
            assert!(line.contains("0 or more"), "{line}");
        }
    }

    #[test]
    fn verbs_of_later_versions_are_known() {
        assert!(explain(&["ccctl", "learn", "ls"]).starts_with("learn comes with a later version"));
        let line = explain(&["ccctl", "session", "probe", "py"]);
        assert!(
            line.starts_with("probe comes with a later version; ccctl session --help"),
            "{line}"
        );
        assert!(explain(&["ccctl", "frobnicate"]).contains("unrecognized"));
    }

    #[test]
    fn nothing_but_global_options_is_nothing_said() {
        let global = |line: &[&str]| {
            let words = words(line);
            only_global(&Ccctl::try_parse_from(&words).unwrap_err(), &words)
        };
        assert!(global(&["ccctl"]).is_some());
        let socket = global(&["ccctl", "--socket", "/s", "--no-start"]);
        assert_eq!(socket.unwrap().socket.as_deref(), Some("/s"));
        for line in [
            &["ccctl", "session"][..],
            &["ccctl", "--socket"],
            &["ccctl", "x"],
            &["ccctl", "--help"],
        ] {
            assert!(global(line).is_none(), "{line:?}");
        }
    }

    #[test]
    fn help_is_a_verb_too() {
        for (asked, meant) in [
            (&["ccctl", "help"][..], &["ccctl", "--help"][..]),
            (
                &["ccctl", "help", "session", "send"],
                &["ccctl", "session", "send", "--help"],
            ),
            (&["ccctl", "help", "run", "ls"], &["ccctl", "run", "--help"]),
            (&["ccctl", "help", "nothing"], &["ccctl", "nothing"]),
            (&["ccctl", "run", "help"], &["ccctl", "run", "help"]),
        ] {
            assert_eq!(with_help(words(asked)), words(meant));
        }
    }

    #[test]
    fn the_session_comes_first() {
        for verb in ["send", "wait"] {
            let help = Ccctl::try_parse_from(["ccctl", "session", verb, "--help"]).unwrap_err();
            let usage = format!("Usage: ccctl session {verb} [OPTIONS] <SESSION> <");
            assert!(help.to_string().contains(&usage), "{help}");
        }
    }
}
