//! What a help text says.

use super::entry::Entry;
use ccd_protocol::investigate::OptionFound;

/// How many commands, and how many options, are read of a text.
pub const MAX_ENTRIES: usize = 2_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HelpText {
    /// The commands are how statements of SQL start, as in `\h` of psql: they are no commands by themselves.
    pub are_statements: bool,
    /// At most 50 forms of the command line, of at most 500 characters each.
    pub usage: Vec<String>,
    /// At most 2,000, without duplicates.
    pub options: Vec<OptionFound>,
    /// At most 2,000, without duplicates.
    pub commands: Vec<HelpCommand>,
}

impl HelpText {
    pub(super) fn list(commands: Vec<HelpCommand>) -> Self {
        Self {
            commands,
            ..Self::default()
        }
    }
}

/// A command or sub-command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HelpCommand {
    pub name: String,
    pub aliases: Vec<String>,
    /// What may follow it, for example `FILE TABLE`; empty if the help does not say.
    pub arguments: String,
    /// At most 500 characters; empty if the help only names it.
    pub description: String,
}

impl HelpCommand {
    pub(crate) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Adds those of `more` whose names are new.
    pub(crate) fn add_new(known: &mut Vec<Self>, more: Vec<Self>) {
        for command in more {
            if known.iter().all(|known| known.name != command.name) {
                known.push(command);
            }
        }
    }

    pub(super) fn from_entry(entry: &Entry<'_>) -> Self {
        /// A synopsis can be long, but hardly this long.
        const MAX_ARGUMENTS_CHARS: usize = 500;
        Self {
            name: entry.name.to_owned(),
            aliases: entry
                .aliases
                .iter()
                .map(|&alias| alias.to_owned())
                .collect(),
            arguments: entry.arguments.chars().take(MAX_ARGUMENTS_CHARS).collect(),
            description: entry.description.to_owned(),
        }
    }
}
