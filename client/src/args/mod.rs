//! The command line: `commands.txt` defines it, `definition` reads that, `given` is what was given.

mod definition;
#[cfg(test)]
mod documents;
mod events;
mod given;
mod help;
mod line;
mod offer;
mod usage;
mod value;

use clap::error::ErrorKind;
use clap::{Args, Command, FromArgMatches as _, ValueHint};
use std::ffi::OsString;

pub(crate) use events::{DEFAULT_EVENTS, EVENTS};
pub(crate) use given::Given;
pub(crate) use help::{help, whole_definition};
pub(crate) use line::{CommandLine, command_of_method, other_verbs, spelled_out};
pub(crate) use offer::{DaemonPath, Offer};
pub(crate) use usage::{explain, only_conversation, subcommand_like};
pub(crate) use value::Size;

/// A command line.
#[derive(Debug)]
pub(crate) struct Ccctl {
    pub(crate) global: Global,
    pub(crate) given: Given,
}

impl Ccctl {
    /// Parses the words of the command line; the first one is the program's name.
    /// Requests for help are errors too.
    pub(crate) fn parse_words(words: &[OsString]) -> Result<Self, clap::Error> {
        // No time is lost with the most frequent call of all.
        if let [_, word] = words
            && word == "hook"
        {
            return Ok(Self {
                global: Global::default(),
                given: Given::bare("hook"),
            });
        }
        let words = line::respelled(words.to_vec());
        match Self::parse(&words, definition) {
            Err(error) if is_help(&error) && has_option(&words, "--help") => {
                Self::parse(&words, help::explained)
            }
            Err(error) if is_help(&error) => Self::parse(&words, help::summarised),
            parsed => parsed,
        }
    }

    fn parse(
        words: &[OsString],
        definition: fn(&str) -> Option<Command>,
    ) -> Result<Self, clap::Error> {
        let line = CommandLine::of(words);
        let noun = line.noun.unwrap_or_default();
        let Some(command) = definition(noun) else {
            // A mistake, a request for help, or options in a form that only clap reads.
            let mut command = match words.get(1) {
                Some(word) if word == "--version" || word == "-V" => help::bare(),
                _ => help::root(has_option(words, "--help")),
            };
            let mut matches = command.try_get_matches_from_mut(words)?;
            let (noun, mut inner) = matches.remove_subcommand().unwrap_or_default();
            let command = command.find_subcommand(&noun).unwrap_or(&command);
            return Self::read(command, &mut inner);
        };
        let mut command = command
            .bin_name(format!("ccctl {noun}"))
            .no_binary_name(true);
        let words = line.before.iter().chain(line.after);
        let mut matches = command.try_get_matches_from_mut(words)?;
        Self::read(&command, &mut matches)
    }

    fn read(command: &Command, matches: &mut clap::ArgMatches) -> Result<Self, clap::Error> {
        let given = Given::of(command, matches);
        let global = Global::from_arg_matches_mut(matches)?;
        Ok(Self { global, given })
    }
}

/// Builds the definition of one word.
fn definition(word: &str) -> Option<Command> {
    let command = definition::definition(word)?;
    let about = command.get_about().cloned().unwrap_or_default();
    let command = Global::augment_args(command).about(about);
    Some(command.disable_help_subcommand(true))
}

/// True if an option is among the words that do not belong to a program.
pub(crate) fn has_option(words: &[OsString], option: &str) -> bool {
    let mut own = words.iter().take_while(|word| *word != "--");
    own.any(|word| word == option)
}

/// True if the error is, or starts with, the help of a command.
fn is_help(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    )
}

/// Options of every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Use the daemon at this socket [default: $CCD_SOCKET, otherwise ccd.sock in $CCD_HOME/run, otherwise in $XDG_RUNTIME_DIR/ccd, otherwise in ~/.claude-control/run]
    #[arg(long, global = true, value_name = "PATH")]
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) socket: Option<String>,
    // In a documentation comment, the brackets would be links.
    #[arg(
        short = 'H',
        long,
        global = true,
        value_name = "URL",
        conflicts_with = "socket",
        help = "Use the daemon of another host: ssh://[user@]host[:port][/socket], docker://container or k8s://namespace/pod [env: CCD_HOST]"
    )]
    pub(crate) host: Option<String>,
    /// Print JSON: one document, or one per line for streaming output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Do not start a daemon if none is running [env: CCD_NO_START]
    #[arg(long, global = true)]
    pub(crate) no_start: bool,
    /// Print more detail to standard error
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

/// Parses a command as a shell would, without the name of the program.
#[cfg(test)]
pub(crate) fn parsed_line(line: &str) -> Result<Ccctl, clap::Error> {
    let words = ccd_base::shell::split(line).unwrap().words;
    let words = std::iter::once("ccctl".to_owned()).chain(words);
    Ccctl::parse_words(&words.map(OsString::from).collect::<Vec<_>>())
}

#[cfg(test)]
pub(crate) fn parsed(line: &str) -> Result<Given, clap::Error> {
    parsed_line(line).map(|parsed| parsed.given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        whole_definition().debug_assert();
    }

    #[test]
    fn global_options_may_be_anywhere_before_the_program() {
        for line in [
            "--json --socket /s job list",
            "job --json --socket=/s list",
            "job list --socket /s --json",
            "ls --json --socket /s",
        ] {
            let global = parsed_line(line).unwrap().global;
            assert_eq!(
                (global.json, global.socket.as_deref()),
                (true, Some("/s")),
                "{line}"
            );
        }
    }
}
