//! `list-commands` of tmux, and the same in columns, as `help` of lftp:
//!
//! ```text
//! attach-session (attach) [-dErx] [-c working-directory] [-t target-session]
//! kill-server
//! ```
//!
//! ```text
//!     du [options] <dirs>                  edit [OPTS] <file>                   exit [<code>|bg]
//!     [re]cls [opts] [path/][pattern]      rm [-r] [-f] <files>
//! ```
//!
//! `[re]cls` is `cls`, and `recls` too.

use super::{has_lines, list};
use crate::help::commands::Commands;
use crate::help::entry;
use crate::help::help_text::{HelpCommand, HelpText, Shape};
use crate::help::page::{Line, Page};

pub(in crate::help) fn recognises(page: &Page) -> bool {
    let lines = page.lines.iter().filter(|line| !line.is_blank());
    // Right of the first column, a table has commands or descriptions.
    let right = lines.clone().flat_map(|line| line.cells().skip(1));
    has_lines(page, |line| line.cells().any(is_synopsis))
        && are_mostly_synopses(lines.flat_map(Line::cells))
        && are_mostly_synopses(right)
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let mut commands = Commands::default();
    let cells = page.lines.iter().flat_map(Line::cells);
    cells
        .filter_map(command)
        .for_each(|command| commands.add(command));
    list(Shape::Synopses, commands.finish())
}

/// Returns whether more than half of the cells are; no cells are.
fn are_mostly_synopses<'a>(cells: impl Iterator<Item = &'a str>) -> bool {
    let (mut synopses, mut all) = (0, 0);
    for cell in cells {
        all += 1;
        synopses += usize::from(is_synopsis(cell));
    }
    all == 0 || synopses * 2 > all
}

/// Returns whether a cell is a name with arguments in brackets, and not a sentence.
fn is_synopsis(cell: &str) -> bool {
    command(cell).is_some_and(|command| command.arguments.starts_with(['[', '<']))
}

fn command(cell: &str) -> Option<HelpCommand> {
    let optional = cell
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .filter(|(prefix, rest)| entry::is_name(prefix) && rest.starts_with(char::is_alphabetic));
    let Some((prefix, rest)) = optional else {
        return entry::of_term(cell).map(|entry| HelpCommand::of(&entry));
    };
    let mut command = HelpCommand::of(&entry::of_term(rest)?);
    command.aliases.push(format!("{prefix}{}", command.name));
    Some(command)
}
