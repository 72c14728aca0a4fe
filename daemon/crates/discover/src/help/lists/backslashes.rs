//! `\?` of psql and of clients like it:
//!
//! ```text
//! General
//!   \g [(OPTIONS)] [FILE]  execute query (and send result to file or |pipe);
//!                          \g with no arguments is equivalent to a semicolon
//!   \crosstabview [COLUMNS] execute query and display result in crosstab
//! ```
//!
//! `\d[S+]` is the command `\d` with optional letters. A long term is followed by a single blank.

use super::{has_lines, list};
use crate::help::commands::Commands;
use crate::help::entry::Entry;
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::{Line, Page, split_at_gap};

pub(in crate::help) fn recognises(page: &Page) -> bool {
    // The help of `echo` explains escape sequences.
    let is_usage = |line: &Line| line.text.to_lowercase().starts_with("usage:");
    has_lines(page, is_command) && page.position(is_usage).is_none()
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let mut commands = Commands::default();
    commands.add_entries(&page.lines, |line| {
        if is_command(line) {
            entry(&line.text)
        } else {
            None
        }
    });
    list(Shape::Backslashes, commands.finish())
}

fn is_command(line: &Line) -> bool {
    let name = line.text.strip_prefix('\\');
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || "?!".contains(c)))
}

fn entry(text: &str) -> Option<Entry<'_>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "\\_?!".contains(c);
    let len = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(len);
    // The letters in brackets directly after the name: `\d[S+]  [NAME]   describe`.
    let letters = if rest.starts_with('[') {
        rest.find(' ').unwrap_or(rest.len())
    } else {
        0
    };
    let words = rest[letters..].trim_start();
    let (arguments, description) = match split_at_gap(words) {
        Some(parts) if is_arguments(parts.0) => parts,
        _ => words.split_at(arguments_len(words)),
    };
    Some(Entry {
        name,
        aliases: Vec::new(),
        arguments: arguments.trim(),
        description: description.trim(),
    })
}

/// Length of the words at the start that name arguments: those in capitals and in brackets.
fn arguments_len(text: &str) -> usize {
    let mut len = 0;
    for word in text.split_inclusive(' ') {
        if !is_arguments(word.trim_end()) {
            break;
        }
        len += word.len();
    }
    len
}

fn is_arguments(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_lowercase)
        || text.starts_with('[') && text.ends_with(']')
}
