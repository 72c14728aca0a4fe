//! `list-commands` of tmux:
//!
//! ```text
//! attach-session (attach) [-dErx] [-c working-directory] [-t target-session]
//! kill-server
//! ```

use super::{has_lines, list};
use crate::help::commands::Commands;
use crate::help::entry;
use crate::help::help_text::{HelpCommand, HelpText, Shape};
use crate::help::page::{Line, Page};

pub(in crate::help) fn recognises(page: &Page) -> bool {
    let lines = page.lines.iter().filter(|line| !line.is_blank());
    let count = lines.clone().filter(|line| is_synopsis(line)).count();
    has_lines(page, is_synopsis) && count * 2 > lines.count()
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let mut commands = Commands::default();
    let entries = page
        .lines
        .iter()
        .filter_map(|line| entry::of_term(&line.text));
    entries.for_each(|entry| commands.add(HelpCommand::of(&entry)));
    list(Shape::Synopses, commands.finish())
}

/// Returns whether a line is a name with options in brackets, and nothing that is a sentence.
fn is_synopsis(line: &Line) -> bool {
    let entry = entry::of_term(&line.text);
    entry.is_some_and(|entry| entry.arguments.starts_with('[')) && !line.text.contains("  ")
}
