//! Commands and options that a help text tells of.

use super::compiled::Compiled;
use super::lines::Line;
use super::seen::Seen;
use ccd_protocol::pattern::{CommandFound, PatternType};

/// Most commands that are told.
const MAX_COMMANDS: usize = 1000;

/// Longest name, and longest description that is told of it, in characters.
const MAX_NAME_CHARS: usize = 60;
const MAX_DESCRIPTION_CHARS: usize = 500;

/// So many lines of one shape make a help text of a text that does not say so, if they are most of it.
const LEAST_LINES: usize = 2;

/// The shape that needs no indentation and no heading to be told from prose: `name - text`.
const DASH_SHAPE: char = '-';

/// Returns the commands and options, in their order, each name once.
pub(super) fn commands(compiled: &Compiled, lines: &[Line<'_>], seen: &Seen) -> Vec<CommandFound> {
    let mut commands: Vec<CommandFound> = Vec::new();
    let mut names = std::collections::HashSet::new();
    for line in lines {
        if commands.len() == MAX_COMMANDS {
            break;
        }
        let Some((name, description)) = command(compiled, line, seen) else {
            continue;
        };
        if names.insert(name) {
            commands.push(CommandFound {
                name: name.to_owned(),
                description: description.chars().take(MAX_DESCRIPTION_CHARS).collect(),
            });
        }
    }
    commands
}

/// Whether lines like `name - text` are most of a text.
pub(super) fn is_list_of_commands(compiled: &Compiled, lines: &[Line<'_>], seen: &Seen) -> bool {
    let is_shaped = |line: &&Line<'_>| {
        command(compiled, line, seen).is_some_and(|(name, _)| {
            let behind = line.text.trim_start().get(name.len()..).unwrap_or_default();
            behind.trim_start().starts_with([DASH_SHAPE, '–', '—'])
        })
    };
    let count = lines.iter().filter(|line| !line.is_blank()).count();
    let shaped = lines.iter().filter(is_shaped).count();
    shaped >= LEAST_LINES && shaped * 2 > count
}

/// Name and description, by the first pattern of type help that has groups for them and matches.
fn command<'a>(compiled: &Compiled, line: &Line<'a>, seen: &Seen) -> Option<(&'a str, &'a str)> {
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
        return Some((name, description.unwrap_or_default().trim()));
    }
    None
}
