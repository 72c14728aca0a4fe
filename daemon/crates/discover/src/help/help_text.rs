//! What a help text says.

use super::entry::Entry;
use ccd_protocol::investigate::OptionFound;

/// How many commands, and how many options, are read of a text.
pub const MAX_ENTRIES: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    ManPage,
    /// What a program prints for `--help`.
    CommandLine,
    /// `.help` of sqlite3 and node.
    DotCommands,
    /// `\?` of psql.
    Backslashes,
    /// `help` of gdb: `name -- text`.
    Dashes,
    /// `list-commands` of tmux: `name (alias) [-x]`, and the same in columns, as `help` of lftp.
    Synopses,
    /// `help` of bash: synopses in two columns.
    ShellBuiltins,
    /// `\h` of psql: how statements of SQL start, which are no commands by themselves.
    Statements,
    /// Names in columns, as of Python's `help()` and its module `cmd`.
    Columns,
    /// `help` of redis-cli: `"name arguments" text`.
    Quoted,
    /// None of these; commands are those that the pattern library finds.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpText {
    pub shape: Shape,
    /// At most 50 forms of the command line, of at most 500 characters each.
    pub usage: Vec<String>,
    /// At most 2,000, without duplicates.
    pub options: Vec<OptionFound>,
    /// At most 2,000, without duplicates.
    pub commands: Vec<HelpCommand>,
}

impl HelpText {
    /// A list has commands only.
    pub(super) fn list(shape: Shape, commands: Vec<HelpCommand>) -> Self {
        Self {
            shape,
            usage: Vec::new(),
            options: Vec::new(),
            commands,
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

    pub(super) fn of(entry: &Entry<'_>) -> Self {
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
