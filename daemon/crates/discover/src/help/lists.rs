//! Lists of commands as interactive programs answer help words, an entry a line:
//!
//! ```text
//! .auth ON|OFF             Show authorizer callbacks
//! ```
//!
//! ```text
//! append binary value -- Append the value of an expression to a raw binary file.
//! print, inspect, p -- Print value of expression EXP.
//! ```
//!
//! ```text
//!       "help <command>" for help on <command>
//!       "quit" to exit
//! ```

use super::commands::Commands;
use super::entry::{self, Entry, is_name};
use super::help_text::HelpText;
use super::page::{Line, Page, split_at_gap};

/// How many lines of its form make a list.
pub(super) const LEAST_LINES: usize = 3;

/// Maximum number of words of a name.
const MAX_WORDS: usize = 6;

/// A form of lines, and how one is read. The bool is true if lines of this form are examples and explanations in a text
/// that has usage lines.
type Form = (bool, fn(&Line) -> Option<Entry<'_>>);

const FORMS: [Form; 4] = [
    (false, after_dot),
    (true, after_backslash),
    (false, before_dashes),
    (true, in_quotes),
];

/// Reads a list; none if the text is something else.
pub(super) fn read(page: &Page) -> Option<HelpText> {
    let is_usage = |line: &Line| line.text.to_lowercase().starts_with("usage:");
    let has_usage = page.position(is_usage).is_some();
    let mut forms = FORMS.into_iter();
    let (_, entry) = forms.find(|(is_alone, entry)| {
        let entries = page.lines.iter().filter_map(entry);
        !(*is_alone && has_usage) && entries.count() >= LEAST_LINES
    })?;
    let mut commands = Commands::default();
    commands.add_entries(&page.lines, entry);
    Some(HelpText::list(commands.finish()))
}

/// `.help` of sqlite3 and node.
fn after_dot(line: &Line) -> Option<Entry<'_>> {
    let name = line.text.strip_prefix('.')?;
    let is_command = name.starts_with(|c: char| c.is_ascii_alphabetic());
    entry::read(&line.text).filter(|_| is_command)
}

/// `help` of gdb. A name may be several words.
fn before_dashes(line: &Line) -> Option<Entry<'_>> {
    let (term, description) = line.text.split_once(" -- ")?;
    let is_words =
        |name: &&str| name.split(' ').all(is_name) && name.split(' ').count() <= MAX_WORDS;
    let mut names = term.split(", ");
    Some(Entry {
        name: names.next().filter(is_words)?,
        aliases: names.filter(is_words).collect(),
        arguments: "",
        description,
    })
}

/// `help` of redis-cli: `"NAME ARGUMENTS" description`; a member of JSON has a colon after the name.
fn in_quotes(line: &Line) -> Option<Entry<'_>> {
    let closing = match line.text.chars().next()? {
        quote @ ('"' | '\'') => [quote; 2],
        '`' => ['`', '\''],
        _ => return None,
    };
    let (term, rest) = line.text[1..].split_once(closing)?;
    let description = rest.strip_prefix(' ')?.trim_start_matches([' ', '-', ':']);
    let is_words = description.starts_with(char::is_alphabetic);
    let entry = entry::parse_term(term).filter(|_| is_words)?;
    Some(Entry {
        description,
        ..entry
    })
}

/// `\?` of psql and of clients like it:
///
/// ```text
///   \g [(OPTIONS)] [FILE]  execute query (and send result to file or |pipe);
///                          \g with no arguments is equivalent to a semicolon
///   \crosstabview [COLUMNS] execute query and display result in crosstab
/// ```
///
/// `\d[S+]` is the command `\d` with optional letters. A long term is followed by a single blank.
fn after_backslash(line: &Line) -> Option<Entry<'_>> {
    let text = &*line.text;
    let is_first = |c: char| c.is_ascii_alphabetic() || "?!".contains(c);
    if !text.strip_prefix('\\')?.starts_with(is_first) {
        return None;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || "\\_?!".contains(c);
    let (name, rest) = text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()));
    // The letters in brackets directly after the name.
    let letters = rest.find(' ').unwrap_or(rest.len());
    let words = if rest.starts_with('[') {
        &rest[letters..]
    } else {
        rest
    };
    let words = words.trim_start();
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
    let words = text.split_inclusive(' ');
    let arguments = words.take_while(|word| is_arguments(word.trim_end()));
    arguments.map(str::len).sum()
}

fn is_arguments(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_lowercase)
        || text.starts_with('[') && text.ends_with(']')
}
