//! A page of `man -P cat`:
//!
//! ```text
//! LS(1)                     User Commands                     LS(1)
//!
//! SYNOPSIS
//!        ls [OPTION]... [FILE]...
//!
//! DESCRIPTION
//!        -a, --all
//!               do not ignore entries starting with .
//!
//! COMMANDS
//!        push [-p|--patch] [<pathspec>...]
//!            Save your local modifications
//! ```

use crate::help::commands::Commands;
use crate::help::help_text::{HelpText, Shape};
use crate::help::options::options;
use crate::help::page::{Line, Page, cells};
use crate::help::sections::{announces_commands, sections};
use crate::help::usage::{Usage, below};

pub(in crate::help) fn recognises(page: &Page) -> bool {
    page.first().is_some_and(is_title) && page.has_line(&["NAME"])
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let synopsis = page.position(|line| line.text == "SYNOPSIS");
    let usage = synopsis.map_or_else(Usage::default, |index| below(page, index, ""));
    let mut commands = Commands::default();
    for section in sections(page, |line| line.indent == 0 && announces_commands(line)) {
        commands.add_list(section);
    }
    HelpText {
        shape: Shape::ManPage,
        options: options(page, &usage.range),
        commands: commands.finish(),
        usage: usage.lines,
    }
}

/// Returns whether a line is `LS(1)   User Commands   LS(1)`.
fn is_title(line: &Line) -> bool {
    let (first, last) = (cells(&line.text).next(), cells(&line.text).last());
    let is_page = |cell: &str| cell.ends_with(')') && cell.contains('(') && !cell.contains(' ');
    first == last && first.is_some_and(is_page)
}
