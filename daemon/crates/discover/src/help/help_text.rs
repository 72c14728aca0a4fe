//! What a help text says.

use super::entry::Entry;
use ccd_protocol::investigate::OptionFound;

/// How many commands, and how many options, are read of a text.
pub const MAX_ENTRIES: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    ManPage,
    /// An applet of busybox, or busybox itself.
    Busybox,
    /// `git help`, `git help -a`.
    Git,
    /// Python's argparse.
    Argparse,
    /// Programs in Go with cobra, docker's and kubectl's variants included.
    Cobra,
    /// Python's click.
    Click,
    /// JavaScript's commander.
    Commander,
    /// Rust's clap, versions 2 to 4.
    Clap,
    /// Docopt in any language.
    Docopt,
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
    /// Options in the way of GNU's getopt, and all similar ones.
    Gnu,
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
