//! Which part a command line is about, and what it is compared by.

use super::simple::{Simple, is_flag};
use super::split::split;

/// Maximum depth of `bash -c 'bash -c …'`.
const MAX_DEPTH: usize = 3;

/// Returns the commands of a line in order. The line of `bash -c LINE` is taken apart as well.
pub fn parse(line: &str) -> Vec<Simple> {
    let mut commands = Vec::new();
    parse_into(line, 0, &mut commands);
    commands
}

/// Returns the part that a line is about: the one with most words, options counting twice.
/// Of equal ones it is the first. None when every part only prepares or reports, such as `cd` and `echo`.
pub fn primary(line: &str) -> Option<Simple> {
    let parts = parse(line).into_iter();
    heaviest(parts.filter(|part| !part.is_trivial()))
}

/// Returns the part with most words, options counting twice; of equal ones the first.
pub fn heaviest(parts: impl Iterator<Item = Simple>) -> Option<Simple> {
    let weight = |part: &Simple| 2 * part.flags().count() + part.arguments().count();
    parts.reduce(|first, part| {
        let is_heavier = weight(&part) > weight(&first);
        if is_heavier { part } else { first }
    })
}

/// Returns what failures of a command are compared by: the program and the next word, if it is no option and no path.
/// `npm run build` gives `npm run`, `cat notes.txt` gives `cat`, and `python -m pytest` stays whole.
pub fn base(command: &Simple) -> String {
    let program = &command.program;
    match command.from_subcommand() {
        [flag, module, ..] if flag == "-m" && program.starts_with("python") => {
            format!("{program} -m {module}")
        }
        [word, ..] if !is_flag(word) && !is_path(word) => format!("{program} {word}"),
        _ => program.clone(),
    }
}

fn parse_into(line: &str, depth: usize, commands: &mut Vec<Simple>) {
    for command in split(line).into_iter().filter_map(Simple::from_part) {
        match command.inner_line().filter(|_| depth < MAX_DEPTH) {
            Some(inner) => {
                let first = commands.len();
                parse_into(inner, depth + 1, commands);
                if let Some(start) = commands.get_mut(first) {
                    start.connector = command.connector;
                }
            }
            None => commands.push(command),
        }
    }
}

/// Returns whether a word names a file, a folder, an address or a number rather than what to do.
pub(super) fn is_path(word: &str) -> bool {
    word.is_empty()
        || word.contains(['/', '*', '?', '$', '=', '\\', '@', '…'])
        || word.starts_with(['.', '~'])
        || word.chars().any(char::is_whitespace)
        || word.bytes().all(|byte| byte.is_ascii_digit())
        || has_extension(word)
}

fn has_extension(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(name, extension)| {
        !name.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
