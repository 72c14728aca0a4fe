//! Python's argparse:
//!
//! ```text
//! usage: prog [-h] [-b ADDRESS] {start,stop} ...
//!
//! positional arguments:
//!   {start,stop}
//!     start               start it
//!
//! options:
//!   -h, --help            show this help message and exit
//! ```

use super::{describes_help, has_label, read_sections};
use crate::help::commands::Commands;
use crate::help::entry;
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::{Line, Page};
use crate::help::sections::sections;

/// Headings of argparse before and since Python 3.10, and the one for operands.
const HEADINGS: [&str; 4] = [
    "options:",
    "optional arguments:",
    "positional arguments:",
    "Positional arguments:",
];

pub(in crate::help) fn recognises(page: &Page) -> bool {
    let is_argparse =
        || page.has_line(&HEADINGS) || describes_help(page, "show this help message and exit");
    has_label(page, "usage:") && is_argparse()
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let mut commands = Commands::default();
    for section in sections(page, |line| line.text.starts_with('{')) {
        let names = choices(section.heading);
        commands.add_entries(section.lines, |line| {
            entry::read(&line.text).filter(|entry| names.contains(&entry.name))
        });
    }
    // Without descriptions, or with all of them in a section that has a title of its own.
    for line in page.lines.iter().filter(|line| line.text.starts_with('{')) {
        commands.add_names(choices(line));
    }
    let commands = commands.finish();
    let help = read_sections(page, Shape::Argparse);
    match commands.is_empty() {
        true => help, // some programs print a list of their own
        false => HelpText { commands, ..help },
    }
}

/// Returns the names of `{start,stop}  text`.
fn choices(line: &Line) -> Vec<&str> {
    let inner = line
        .text
        .strip_prefix('{')
        .and_then(|rest| rest.split_once('}'));
    inner
        .and_then(|(names, _)| entry::comma_list(names))
        .unwrap_or_default()
}
