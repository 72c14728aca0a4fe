//! Commands and options in a help text.

use super::built_in::HELP_HINTS;
use super::compiled::Compiled;
use super::lines::Line;
use super::seen::Seen;
use ccd_protocol::pattern::{CommandFound, PatternOrigin, PatternType};
use std::collections::{BTreeSet, HashSet};

const MAX_COMMANDS: usize = 1000;

/// Maximum length of a name, and of a reported description, in characters.
const MAX_NAME_CHARS: usize = 60;
const MAX_DESCRIPTION_CHARS: usize = 500;

/// How many lines of one shape make an unmarked text a help text, if they are most of it.
const LEAST_LINES: usize = 2;

/// How many signs of help make a help text: banners and errors have one.
const LEAST_HITS: usize = 2;

/// Names of which at least one is in a list of commands that otherwise looks like keys and values.
const COMMON_COMMANDS: [&str; 7] = ["help", "?", "h", "quit", "exit", "commands", "usage"];

/// The separator of name and description, where it distinguishes a list of commands from prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `name - text`
    Dash,
    /// `name: text`
    Colon,
    /// `.name   text`
    Signed,
    Other,
}

struct Command<'a> {
    name: &'a str,
    description: &'a str,
    shape: Shape,
    is_indented: bool,
}

/// Returns the commands and options in order, without duplicates.
pub(super) fn commands(compiled: &Compiled, lines: &[Line<'_>], seen: &Seen) -> Vec<CommandFound> {
    let mut names = HashSet::new();
    let commands = lines
        .iter()
        .filter_map(|line| command(compiled, line, seen));
    let unique = commands.filter(|command| names.insert(command.name));
    let found = unique.take(MAX_COMMANDS).map(|command| CommandFound {
        name: command.name.to_owned(),
        description: command
            .description
            .chars()
            .take(MAX_DESCRIPTION_CHARS)
            .collect(),
    });
    found.collect()
}

/// Returns whether a text is a help text: it has two signs of help, or a heading followed by commands, or consists
/// mostly of them.
/// A match of a user's pattern is enough.
pub(super) fn is_help(compiled: &Compiled, lines: &[Line<'_>], seen: &Seen) -> bool {
    let mut hits = BTreeSet::new();
    let mut heading = None;
    for &(start, index) in seen.all(PatternType::Help) {
        match compiled.place(PatternType::Help, index) {
            Some(place) if place.is_help_line() => {}
            Some(place) if place.entry.origin != PatternOrigin::BuiltIn => return true,
            Some(place) => {
                hits.insert(index);
                if place.entry.category != HELP_HINTS {
                    heading.get_or_insert(start);
                }
            }
            None => {}
        }
    }
    let is_below = |line: &&Line<'_>| heading.is_some_and(|start| line.start > start);
    hits.len() >= LEAST_HITS
        || has_commands(compiled, lines.iter().filter(is_below), seen)
        || is_list_of_commands(compiled, lines, seen)
}

/// Returns whether commands follow a heading; `name: text` alone is too common.
fn has_commands<'l, 'a: 'l>(
    compiled: &Compiled,
    lines: impl Iterator<Item = &'l Line<'a>>,
    seen: &Seen,
) -> bool {
    lines
        .filter_map(|line| command(compiled, line, seen))
        .any(|command| command.is_indented || command.shape != Shape::Colon)
}

/// Returns whether a text consists mostly of lines such as `name - text`.
fn is_list_of_commands(compiled: &Compiled, lines: &[Line<'_>], seen: &Seen) -> bool {
    let commands = lines
        .iter()
        .filter_map(|line| command(compiled, line, seen));
    let commands: Vec<Command<'_>> = commands.collect();
    let count = lines.iter().filter(|line| !line.is_blank()).count();
    let is_most = |shape: Shape| {
        let shaped = commands.iter().filter(|command| command.shape == shape);
        let shaped = shaped.count();
        shaped >= LEAST_LINES && shaped * 2 > count
    };
    let has_common = || {
        let mut names = commands.iter().map(|command| command.name);
        names.any(|name| COMMON_COMMANDS.contains(&name))
    };
    is_most(Shape::Dash) || is_most(Shape::Signed) || (is_most(Shape::Colon) && has_common())
}

/// By the first pattern of type help with groups that matches.
fn command<'a>(compiled: &Compiled, line: &Line<'a>, seen: &Seen) -> Option<Command<'a>> {
    let (text, _) = line.head();
    let patterns = compiled.lines(PatternType::Help);
    for index in seen.matching(PatternType::Help, line) {
        let Some(name) = patterns.group(index, text, "name") else {
            continue;
        };
        let name = name.trim();
        let is_heading = name.to_ascii_lowercase().starts_with("usage");
        if name.is_empty() || is_heading || name.chars().count() > MAX_NAME_CHARS {
            continue;
        }
        let description = patterns.group(index, text, "description");
        return Some(Command {
            name,
            description: description.unwrap_or_default().trim(),
            shape: shape(name, text),
            is_indented: text.starts_with([' ', '\t']),
        });
    }
    None
}

fn shape(name: &str, line: &str) -> Shape {
    let behind = line.split_once(name).map_or("", |(_, behind)| behind);
    let sign = behind.trim_start();
    if sign.starts_with(['-', '–', '—']) {
        Shape::Dash
    } else if behind.starts_with(':') {
        Shape::Colon
    } else if name.starts_with(['.', ':', '\\', '/']) {
        Shape::Signed
    } else {
        Shape::Other
    }
}
