//! Commands in quotes, as in `help` of redis-cli:
//!
//! ```text
//!       "help <command>" for help on <command>
//!       "quit" to exit
//! ```

use super::{has_lines, list};
use crate::help::commands::Commands;
use crate::help::entry::{self, Entry};
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::{Line, Page};

pub(in crate::help) fn recognises(page: &Page) -> bool {
    // Values and examples of options can be in quotes.
    let is_usage = |line: &Line| line.text.to_lowercase().starts_with("usage:");
    has_lines(page, |line| entry(line).is_some()) && page.position(is_usage).is_none()
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let mut commands = Commands::default();
    commands.add_entries(&page.lines, entry);
    list(Shape::Quoted, commands.finish())
}

/// Reads `"NAME ARGUMENTS" description`; a member of JSON has a colon after the name.
fn entry(line: &Line) -> Option<Entry<'_>> {
    let closing = match line.text.chars().next()? {
        quote @ ('"' | '\'') => [quote; 2],
        '`' => ['`', '\''],
        _ => return None,
    };
    let (term, rest) = line.text[1..].split_once(closing)?;
    let rest = rest.strip_prefix(' ')?;
    let description = rest.trim_start_matches([' ', '-', ':']);
    let is_words = description.starts_with(char::is_alphabetic);
    entry::of_term(term)
        .filter(|_| is_words)
        .map(|entry| Entry {
            description,
            ..entry
        })
}
