//! A file for each way in which interactive programs answer help words.

pub(super) mod backslashes;
pub(super) mod builtins;
pub(super) mod columns;
pub(super) mod dashes;
pub(super) mod dots;
pub(super) mod other;
pub(super) mod quoted;
pub(super) mod statements;
pub(super) mod synopses;

use super::help_text::{HelpCommand, HelpText, Shape};
use super::page::{Line, Page};

/// How many lines of its form make a list.
const LEAST_LINES: usize = 3;

/// Returns whether at least three lines are as wanted.
fn has_lines(page: &Page, is_wanted: impl Fn(&Line) -> bool) -> bool {
    page.lines
        .iter()
        .filter(|line| is_wanted(line))
        .nth(LEAST_LINES - 1)
        .is_some()
}

/// A list has commands only.
fn list(shape: Shape, commands: Vec<HelpCommand>) -> HelpText {
    HelpText {
        shape,
        usage: Vec::new(),
        options: Vec::new(),
        commands,
    }
}
