//! Lists of commands in columns, as interactive programs answer help words.

use super::commands::Commands;
use super::entry::{self, column_list, is_name};
use super::help_text::{HelpCommand, HelpText};
use super::lists::LEAST_LINES;
use super::page::{Line, Page};

/// What `help` of bash says before its list.
const SHELL_BUILTINS: &str = "These shell commands are defined internally.";

/// How many columns make a table of names; below a ruler one is enough.
const LEAST_COLUMNS: usize = 3;

/// Reads a list; none if the text is something else.
pub(super) fn read(page: &Page) -> Option<HelpText> {
    let lines = || page.lines.iter();
    let is_builtins = lines().any(|line| line.text.starts_with(SHELL_BUILTINS));
    let statements = || lines().filter(|line| are_statements(line));
    let are_statements = || {
        let in_columns = statements().filter(|line| line.cells().count() > 1);
        in_columns.count() >= LEAST_LINES
    };
    let mut list = HelpText::default();
    let mut commands = Commands::default();
    if is_builtins {
        let indented = || lines().filter(|line| line.indent > 0);
        let columns =
            [0, 1].map(|column| indented().filter_map(move |line| line.cells().nth(column)));
        commands.extend(columns.into_iter().flatten().filter_map(synopsis));
    } else if are_synopses(page) {
        commands.extend(lines().flat_map(Line::cells).filter_map(synopsis));
    } else if are_statements() {
        list.are_statements = true;
        commands.add_names(statements().flat_map(Line::cells));
    } else {
        for line in tables(page).flatten() {
            commands.add_names(column_list(&line.text).unwrap_or_default());
        }
    }
    list.commands = commands.finish();
    (!list.commands.is_empty()).then_some(list)
}

/// Returns whether a text is `list-commands` of tmux, or the same in columns, as `help` of lftp:
///
/// ```text
/// attach-session (attach) [-dErx] [-c working-directory] [-t target-session]
/// kill-server
/// ```
///
/// ```text
///     du [options] <dirs>                  edit [OPTS] <file>                   exit [<code>|bg]
///     [re]cls [opts] [path/][pattern]      rm [-r] [-f] <files>
/// ```
fn are_synopses(page: &Page) -> bool {
    let lines = || page.lines.iter().filter(|line| !line.is_blank());
    let with_synopsis = lines().filter(|line| line.cells().any(is_synopsis));
    // Right of the first column, a table has commands or descriptions.
    let right = lines().flat_map(|line| line.cells().skip(1));
    with_synopsis.count() >= LEAST_LINES
        && are_mostly_synopses(lines().flat_map(Line::cells))
        && are_mostly_synopses(right)
}

/// Returns whether more than half of the cells are; no cells are.
fn are_mostly_synopses<'a>(cells: impl Iterator<Item = &'a str>) -> bool {
    let (mut synopses, mut all) = (0, 0);
    for cell in cells {
        all += 1;
        synopses += usize::from(is_synopsis(cell));
    }
    all == 0 || synopses * 2 > all
}

/// Returns whether a cell is a name with arguments in brackets, and not a sentence.
fn is_synopsis(cell: &str) -> bool {
    synopsis(cell).is_some_and(|command| command.arguments.starts_with(['[', '<']))
}

/// Reads a name with its arguments: `[re]cls` is `cls`, and `recls` too.
fn synopsis(cell: &str) -> Option<HelpCommand> {
    let optional = cell
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .filter(|(prefix, rest)| is_name(prefix) && rest.starts_with(char::is_alphabetic));
    let Some((prefix, rest)) = optional else {
        return entry::parse_term(cell).map(|entry| HelpCommand::from_entry(&entry));
    };
    let mut command = HelpCommand::from_entry(&entry::parse_term(rest)?);
    command.aliases.push(format!("{prefix}{}", command.name));
    Some(command)
}

/// Returns whether a line has only words in capitals, as `\h` of psql, which lists statements of SQL:
///
/// ```text
///   ABORT                            CREATE FOREIGN DATA WRAPPER      DROP ROUTINE
/// ```
fn are_statements(line: &Line) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c == ' ';
    line.indent > 0 && !line.is_blank() && line.text.chars().all(is_part)
}

/// Returns the runs of lines that are tables of names, as of Python's module `cmd` and its `help()`:
///
/// ```text
/// Documented commands (type help <topic>):
/// ========================================
/// EOF  add  help  list
/// ```
fn tables(page: &Page) -> impl Iterator<Item = &[Line]> {
    let lines = &page.lines;
    let is_other =
        |line: &Line| line.is_blank() || line.is_ruler() || column_list(&line.text).is_none();
    let mut end = 0;
    lines
        .split(move |line| is_other(line))
        .filter(move |block| {
            let start = end;
            end += block.len() + 1;
            let has_ruler = start > 0 && lines[start - 1].is_ruler();
            let columns = block.iter().map(|line| line.cells().count()).max();
            !block.is_empty() && (has_ruler || columns.unwrap_or_default() >= LEAST_COLUMNS)
        })
}
