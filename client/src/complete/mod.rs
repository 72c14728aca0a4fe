//! Completion of the word at the cursor.
//! The scripts for bash, zsh and fish call `ccctl complete`, which parses the line by the client's own definition
//! (`line`) and asks the daemon for names (`names`). It never starts or waits for a daemon; if anything fails, nothing
//! is offered.

mod line;
mod names;
mod offered;

use crate::args::{self, Given, Offer, whole_definition};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure};
use clap::Command;
use clap_complete::Shell;
use line::{TypedLine, Wanted};
use names::offer;
use offered::Offered;

const BASH: &str = include_str!("ccctl.bash");
const ZSH: &str = include_str!("ccctl.zsh");
const FISH: &str = include_str!("ccctl.fish");

const MAX_CANDIDATES: usize = 500;

const TRANSCRIPT_OR_FILE: Offered = Offered::Named(Offer("transcript_or_file"));

/// Returns the script for a shell. Scripts for shells other than bash, zsh and fish complete commands and options only.
pub(crate) fn script(shell: &str) -> Vec<u8> {
    match shell.parse().unwrap_or(Shell::Bash) {
        Shell::Bash => BASH.into(),
        Shell::Zsh => ZSH.into(),
        Shell::Fish => FISH.into(),
        other => {
            let mut script = Vec::new();
            clap_complete::generate(other, &mut whole_definition(), "ccctl", &mut script);
            script
        }
    }
}

/// Prints the completions of a word, one per line with a tab before its description, or a word such as `:files` if the
/// shell completes better.
pub(crate) fn complete(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let words = args.words("words");
    let index = args.number("index") as usize;
    let mut command = whole_definition();
    command.build();
    let current = words.get(index).map_or("", String::as_str);
    let before = words.get(..index.min(words.len())).unwrap_or_default();
    let before = args::spelled_out(before);
    let line = TypedLine::read(&command, before.get(1..).unwrap_or_default());
    let lines = offers(&line, current).into_iter();
    let text: String = lines.map(|line| line + "\n").collect();
    context.write_bytes(text.as_bytes())?;
    Ok(Exit::Done)
}

fn offers(line: &TypedLine<'_>, current: &str) -> Vec<String> {
    let mut offers = Vec::new();
    let wanted = line.wanted(current);
    let kind = match wanted {
        Wanted::Option => return options(line.command, current),
        Wanted::Value(arg) => Offered::of(arg, 0),
        Wanted::Anything => {
            offers = verbs(line.command, current);
            match line.positional() {
                Some((arg, nth)) => Offered::of(arg, nth),
                None => Offered::Nothing,
            }
        }
    };
    match kind {
        Offered::Files => offers.push(":files".to_owned()),
        Offered::Folders => offers.push(":folders".to_owned()),
        Offered::Programs => offers.push(":programs".to_owned()),
        kind => {
            let found = names::values(&kind, line, current);
            if found.is_empty() && kind == TRANSCRIPT_OR_FILE {
                offers.push(":files".to_owned());
            }
            offers.extend(found.into_iter().take(MAX_CANDIDATES));
        }
    }
    // If nothing else is possible, offer options.
    let is_free = matches!(wanted, Wanted::Anything) && line.positional().is_none();
    if offers.is_empty() && current.is_empty() && is_free && !line.is_plain {
        offers = options(line.command, "");
    }
    offers
}

/// Subcommands by name; by an alias only if its start is typed.
fn verbs(command: &Command, current: &str) -> Vec<String> {
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let own = verbs.flat_map(|verb| {
        let about = verb
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        let mut names = verb.get_name_and_visible_aliases();
        // If nothing is typed, one name each.
        names.truncate(if current.is_empty() { 1 } else { usize::MAX });
        names.into_iter().map(move |name| offer(name, &about))
    });
    let others = args::other_verbs(command.get_name());
    let others = others.map(|(name, about)| offer(name, about));
    own.chain(others)
        .filter(|line| line.starts_with(current))
        .collect()
}

fn options(command: &Command, current: &str) -> Vec<String> {
    let arguments = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let options = arguments.filter_map(|arg| {
        let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
        Some(offer(&format!("--{}", arg.get_long()?), &about))
    });
    options.filter(|line| line.starts_with(current)).collect()
}

#[cfg(test)]
mod tests;
