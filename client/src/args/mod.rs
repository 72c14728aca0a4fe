//! The command line: one file per noun.

mod black_box;
mod chain;
mod coach;
mod coach_decide;
mod coach_records;
mod config;
mod conversation;
mod daemon;
mod data;
mod exec;
mod exec_records;
mod help;
mod hook;
mod investigate;
mod job;
mod line;
mod memory;
mod noun;
mod offer;
mod pattern;
mod program;
mod record;
mod run;
mod session;
mod session_create;
mod session_input;
mod session_output;
mod session_wait;
mod tape;
mod tape_options;
mod top;
mod usage;
mod value;

use clap::error::ErrorKind;
use clap::{Args, Command, FromArgMatches, Subcommand, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) use help::{help, whole_definition};
pub(crate) use line::{CommandLine, command_of_method, other_verbs, spelled_out};
pub(crate) use noun::Noun;
pub(crate) use offer::{NameKind, ValueKind};
pub(crate) use usage::{explain, only_conversation, subcommand_like};
pub(crate) use value::{SecretFrom, Size, params, patterns};
pub(crate) use {
    black_box::*, chain::*, coach::*, coach_decide::*, coach_records::*, config::*,
    conversation::*, daemon::*, data::*, exec::*, exec_records::*, hook::*, investigate::*, job::*,
    memory::*, pattern::*, program::*, record::*, run::*, session::*, session_create::*,
    session_input::*, session_output::*, session_wait::*, tape::*, tape_options::*, top::*,
};

/// A command line.
#[derive(Debug)]
pub(crate) struct Ccctl {
    pub(crate) global: Global,
    pub(crate) noun: Noun,
}

impl Ccctl {
    /// Parses the words of the command line; the first one is the program's name.
    /// Requests for help are errors too.
    pub(crate) fn parse_words(words: &[OsString]) -> Result<Self, clap::Error> {
        let words = line::respelled(words.to_vec());
        match Self::parse(&words, Noun::definition) {
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
        // No time is lost with the most frequent call of all.
        if line.is_hook() && line.before.is_empty() && line.after.is_empty() {
            return Ok(Self {
                global: Global::default(),
                noun: Noun::Hook(HookArgs::default()),
            });
        }
        let noun = line.noun.unwrap_or_default();
        let (noun, mut matches) = match definition(noun) {
            Some(command) => {
                let command = command.bin_name(format!("ccctl {noun}"));
                let words = line.before.iter().chain(line.after);
                let matches = command.no_binary_name(true).try_get_matches_from(words)?;
                (noun.to_owned(), matches)
            }
            // A mistake, a request for help, or options in a form that only clap reads.
            None => {
                let command = help::root(has_option(words, "--help"));
                let matches = command.try_get_matches_from(words)?.remove_subcommand();
                matches.unwrap_or_default()
            }
        };
        Ok(Self {
            global: Global::from_arg_matches_mut(&mut matches)?,
            noun: Noun::read(&noun, &mut matches)?,
        })
    }
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
        help = "Use the daemon of another host through ssh: ssh://[user@]host[:port][/socket] [env: CCD_HOST]"
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

/// Arguments of `call`.
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// Method name, such as session.list
    #[arg(add = ValueKind::Methods)]
    pub(crate) method: String,
    /// Parameters as a JSON object
    #[arg(default_value = "{}", value_name = "JSON")]
    pub(crate) params: String,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Do not stop after each chapter
    #[arg(long)]
    pub(crate) fast: bool,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to print the script for
    pub(crate) shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write all pages to this directory
    #[arg(long, value_name = "DIR")]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}

/// Arguments of `complete`.
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// Index of the word that the cursor is in, from 0
    pub(crate) index: usize,
    /// The words of the command line, starting with the program name
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

/// Parses a command as a shell would, without the name of the program.
#[cfg(test)]
pub(crate) fn parsed_line(line: &str) -> Result<Ccctl, clap::Error> {
    let words = ccd_base::shell::split(line).unwrap().words;
    let words = std::iter::once("ccctl".to_owned()).chain(words);
    Ccctl::parse_words(&words.map(OsString::from).collect::<Vec<_>>())
}

#[cfg(test)]
pub(crate) fn parsed(line: &str) -> Result<Noun, clap::Error> {
    parsed_line(line).map(|parsed| parsed.noun)
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
