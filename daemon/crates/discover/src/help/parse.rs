//! Recognises the shape of a help text and reads it.

use super::entry::Entry;
use super::page::Page;
use super::{lists, shapes};
use ccd_protocol::investigate::OptionFound;
use ccd_text::pattern::Compiled;

/// How a text presents options and commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A page of `man`.
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
    /// `list-commands` of tmux: `name (alias) [-x]`.
    Synopses,
    /// `help` of bash: synopses in two columns.
    ShellBuiltins,
    /// Names in columns, as of Python's `help()` and its module `cmd`.
    Columns,
    /// Options in the way of GNU's getopt, and all similar ones.
    Gnu,
    /// None of these; commands are those that the pattern library finds.
    Other,
}

/// What a help text says.
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
    /// Other names of it.
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

/// Whether a text has a shape, and what it says if it has.
type Reader = (fn(&Page) -> bool, fn(&Page) -> HelpText);

/// In the order in which they are tried: the most particular first.
const READERS: &[Reader] = &[
    (shapes::man::recognises, shapes::man::read),
    (shapes::busybox::recognises, shapes::busybox::read),
    (shapes::git::recognises, shapes::git::read),
    (shapes::argparse::recognises, shapes::argparse::read),
    (shapes::cobra::recognises, shapes::cobra::read),
    (shapes::click::recognises, shapes::click::read),
    (shapes::commander::recognises, shapes::commander::read),
    (shapes::docopt::recognises, shapes::docopt::read),
    (shapes::clap::recognises, shapes::clap::read),
    (lists::dots::recognises, lists::dots::read),
    (lists::backslashes::recognises, lists::backslashes::read),
    (lists::dashes::recognises, lists::dashes::read),
    (lists::synopses::recognises, lists::synopses::read),
    (lists::builtins::recognises, lists::builtins::read),
    (lists::columns::recognises, lists::columns::read),
    (shapes::gnu::recognises, shapes::gnu::read),
];

/// Reads the text that a program prints when it is asked for help. It may be any text, of which the first MiB is read.
///
/// `library` finds the commands of texts without a known shape.
pub fn parse(text: &str, library: &Compiled) -> HelpText {
    let page = Page::of(text);
    let found = READERS.iter().find(|(recognises, _)| recognises(&page));
    match found.map(|(_, read)| read(&page)) {
        Some(help) => help,
        None => lists::other::read(&page, library),
    }
}
