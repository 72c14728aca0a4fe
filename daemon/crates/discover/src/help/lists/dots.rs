//! `.help` of sqlite3 and node:
//!
//! ```text
//! .archive ...             Manage SQL archives
//! .auth ON|OFF             Show authorizer callbacks
//! ```

use super::{has_lines, list};
use crate::help::commands::Commands;
use crate::help::entry;
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::{Line, Page};

pub(in crate::help) fn recognises(page: &Page) -> bool {
    has_lines(page, is_command)
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let mut commands = Commands::default();
    commands.add_entries(&page.lines, |line| {
        entry::read(&line.text).filter(|_| is_command(line))
    });
    list(Shape::DotCommands, commands.finish())
}

fn is_command(line: &Line) -> bool {
    let name = line.text.strip_prefix('.');
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}
