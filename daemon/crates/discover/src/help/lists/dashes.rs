//! `help` of gdb:
//!
//! ```text
//! List of commands:
//!
//! append binary value -- Append the value of an expression to a raw binary file.
//! print, inspect, p -- Print value of expression EXP.
//! ```
//!
//! A name may be several words.

use super::{has_lines, list};
use crate::help::commands::Commands;
use crate::help::entry::Description;
use crate::help::entry::is_name;
use crate::help::help_text::{HelpCommand, HelpText, Shape};
use crate::help::page::{Line, Page};

const SIGN: &str = " -- ";

/// Maximum number of words of a name.
const MAX_WORDS: usize = 6;

pub(in crate::help) fn recognises(page: &Page) -> bool {
    has_lines(page, |line| entry(line).is_some())
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let mut commands = Commands::default();
    page.lines
        .iter()
        .filter_map(entry)
        .for_each(|command| commands.add(command));
    list(Shape::Dashes, commands.finish())
}

fn entry(line: &Line) -> Option<HelpCommand> {
    let (term, description) = line.text.split_once(SIGN)?;
    let mut names = term.split(", ");
    let is_words =
        |name: &&str| name.split(' ').all(is_name) && name.split(' ').count() <= MAX_WORDS;
    let name = names.next().filter(is_words)?;
    Some(HelpCommand {
        name: name.to_owned(),
        aliases: names.filter(is_words).map(str::to_owned).collect(),
        arguments: String::new(),
        description: Description::of(description).finish(),
    })
}
