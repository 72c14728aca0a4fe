//! Completion: what may stand where the cursor is.
//!
//! The scripts for bash, zsh and fish ask `ccctl complete`, which reads the line by the same definition as the client
//! does (`line`), and asks the daemon for names where it has them (`names`). It starts no daemon, waits for none, and a
//! mistake of any kind only means that nothing is offered.

mod kind;
mod line;
mod names;

use crate::args::{Ccctl, CompleteArgs};
use crate::context::Context;
use crate::exit_code::Exit;
use crate::failure::Failure;
use clap::{Command, CommandFactory as _};
use clap_complete::Shell;
use kind::Kind;
use line::{Line, Wanted};
use names::Names;

const BASH: &str = include_str!("ccctl.bash");
const ZSH: &str = include_str!("ccctl.zsh");
const FISH: &str = include_str!("ccctl.fish");

/// The most that is offered.
const MAX_CANDIDATES: usize = 500;

/// Something that may stand there, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    value: String,
    about: String,
}

/// Returns the script for a shell. Those that cannot ask know verbs and options only.
pub(crate) fn script(shell: Shell) -> Vec<u8> {
    match shell {
        Shell::Bash => BASH.into(),
        Shell::Zsh => ZSH.into(),
        Shell::Fish => FISH.into(),
        other => {
            let mut script = Vec::new();
            clap_complete::generate(other, &mut Ccctl::command(), "ccctl", &mut script);
            script
        }
    }
}

/// Prints what may stand at a word, one a line with a tab before its description, or `:files` and the like where the
/// shell knows better.
///
/// # Errors
///
/// [`Failure::Output`].
pub(crate) fn complete(args: &CompleteArgs, context: &mut Context) -> Result<Exit, Failure> {
    let words: Vec<String> = args
        .words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let mut command = Ccctl::command();
    command.build();
    let current = words.get(args.index).map_or("", String::as_str);
    let before = words
        .get(1..args.index.min(words.len()))
        .unwrap_or_default();
    // Help is asked for with the same words.
    let before = match before.split_first() {
        Some((first, rest)) if first == "help" => rest,
        _ => before,
    };
    let line = Line::read(&command, before);
    let mut text = String::new();
    for line in offers(&line, current) {
        text.push_str(&line);
        text.push('\n');
    }
    context.write_bytes(text.as_bytes())?;
    Ok(Exit::Done)
}

fn offers(line: &Line<'_>, current: &str) -> Vec<String> {
    let mut offers = Vec::new();
    let wanted = line.wanted(current);
    if let Wanted::Anything = wanted {
        let found = verbs(line.command, current);
        offers.extend(found.into_iter().map(told));
    }
    let kind = match wanted {
        Wanted::Option => {
            let found = options(line.command, current);
            return found.into_iter().map(told).collect();
        }
        Wanted::Value(arg) => kind::of(&line.path, arg, 0),
        Wanted::Anything => match line.positional() {
            Some((arg, nth)) => kind::of(&line.path, arg, nth),
            None => Kind::Nothing,
        },
    };
    match kind {
        Kind::Files => offers.push(":files".to_owned()),
        Kind::Folders => offers.push(":folders".to_owned()),
        Kind::Programs => offers.push(":programs".to_owned()),
        kind => {
            let found = Names::at(line.socket.as_deref(), line.tapes.as_deref()).of(&kind, current);
            offers.extend(found.into_iter().take(MAX_CANDIDATES).map(told));
        }
    }
    // Where nothing else may stand, an option may.
    let is_free = matches!(wanted, Wanted::Anything) && line.positional().is_none();
    if offers.is_empty() && current.is_empty() && is_free && !line.is_plain {
        offers.extend(options(line.command, "").into_iter().map(told));
    }
    offers
}

/// Verbs by their names; by another one only where that was begun.
fn verbs(command: &Command, current: &str) -> Vec<Candidate> {
    let mut found = Vec::new();
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let names = std::iter::once(verb.get_name()).chain(verb.get_visible_aliases());
        // With nothing typed, one name each.
        let names = names.take(if current.is_empty() { 1 } else { usize::MAX });
        let about = verb.get_about().map(ToString::to_string);
        for name in names.filter(|name| name.starts_with(current)) {
            found.push(Candidate {
                value: name.to_owned(),
                about: about.clone().unwrap_or_default(),
            });
        }
    }
    found
}

fn options(command: &Command, current: &str) -> Vec<Candidate> {
    let mut found = Vec::new();
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let long = arg.get_long().map(|long| format!("--{long}"));
        let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
        found.extend(
            long.filter(|long| long.starts_with(current))
                .map(|value| Candidate { value, about }),
        );
    }
    found
}

/// A candidate as one line; only its first sentence is told.
fn told(candidate: Candidate) -> String {
    let about = candidate
        .about
        .lines()
        .next()
        .unwrap_or_default()
        .replace('\t', " ");
    match about.is_empty() {
        true => candidate.value,
        false => format!("{}\t{about}", candidate.value),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
