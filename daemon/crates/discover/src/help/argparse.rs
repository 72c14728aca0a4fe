//! The sub-commands of Python's argparse:
//!
//! ```text
//! usage: prog [-h] [-b ADDRESS] {start,stop} ...
//!
//! positional arguments:
//!   {start,stop}
//!     start               start it
//!
//! options:
//!   -h, --help            show this help message and exit
//! ```
//!
//! A program may name its sub-commands with a metavar, `COMMAND ...`, and then no line lists them in braces.

use super::commands::Commands;
use super::entry;
use super::help_text::HelpCommand;
use super::page::{Line, Page};
use super::sections::below;
use std::collections::HashSet;

/// Headings of argparse before and since Python 3.10, and the one for operands.
const HEADINGS: [&str; 4] = [
    "options:",
    "optional arguments:",
    "positional arguments:",
    "Positional arguments:",
];

/// By how many columns argparse indents a sub-command below the name of their group.
const INDENT: usize = 2;

/// Returns the sub-commands of a text of argparse; none if it is another, or lists them in its own way.
pub(super) fn sub_commands(page: &Page) -> Vec<HelpCommand> {
    let has_usage = page.position(|line| line.text.starts_with("usage:"));
    if has_usage.is_none() || !(page.has_line(&HEADINGS) || page.has_help_option()) {
        return Vec::new();
    }
    let mut commands = Commands::default();
    let operands = operands(page);
    for (index, heading) in page.lines.iter().enumerate() {
        let lines = || below(&page.lines[index + 1..], heading.indent);
        let names = choices(heading);
        let term = heading.cells().next().unwrap_or_default();
        if !names.is_empty() {
            commands.add_entries(lines(), |line| {
                entry::read(&line.text).filter(|entry| names.contains(&entry.name))
            });
        } else if operands.contains(term) {
            let lines = from_first(lines(), heading.indent);
            commands.add_entries(lines, |line| entry::read(&line.text));
        }
    }
    // Without descriptions, or with all of them in a section that has a title of its own.
    for line in page.lines.iter().filter(|line| line.text.starts_with('{')) {
        commands.add_names(choices(line));
    }
    commands.finish()
}

/// Returns the words of the usage that may be operands, thus not the name of the program.
fn operands(page: &Page) -> HashSet<&str> {
    let lines = page.lines.iter();
    let usage = lines
        .skip_while(|line| !line.text.starts_with("usage:"))
        .take_while(|line| !line.is_blank());
    let words = usage.flat_map(|line| line.text.split_whitespace()).skip(2);
    words.filter(|word| !word.starts_with('-')).collect()
}

/// Returns the lines from the first sub-command below an operand on: the lines before it continue the operand's help.
/// An operand that is no group of sub-commands has none, as its help is indented further than by [`INDENT`].
fn from_first(below: &[Line], indent: usize) -> &[Line] {
    let is_first = |line: &Line| !line.is_blank() && line.indent == indent + INDENT;
    let first = below.iter().position(is_first).unwrap_or(below.len());
    &below[first..]
}

/// Returns the names of `{start,stop}  text`.
fn choices(line: &Line) -> Vec<&str> {
    let inner = line
        .text
        .strip_prefix('{')
        .and_then(|rest| rest.split_once('}'));
    inner
        .and_then(|(names, _)| entry::comma_list(names))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &str = "options:\n  -h, --help  show this help message and exit\n";

    fn names(text: &str) -> String {
        let commands = sub_commands(&Page::parse(&format!("{text}\n{OPTIONS}")));
        let names: Vec<_> = commands.into_iter().map(|command| command.name).collect();
        names.join(" ")
    }

    #[test]
    fn a_metavar_names_a_group_of_sub_commands() {
        assert_eq!(
            names(
                "usage: x [-h]\n  COMMAND\n  ...\n\npositional arguments:\n  COMMAND\n    add  Add it\n    rm\n"
            ),
            "add rm"
        );
        assert_eq!(
            names(
                "usage: x [-h] <command> ...\n\nactions:\n  What to do.\n\n  <command>  one of\n    add      Add it\n"
            ),
            "add"
        );
        assert_eq!(
            names("usage: x [-h] {add,rm} ...\n\nactions:\n  {add,rm}\n    add  Add it\n"),
            "add rm"
        );
    }

    #[test]
    fn operands_and_examples_are_no_sub_commands() {
        assert_eq!(
            names(
                "usage: x [-h] source target\n\npositional arguments:\n  source    a file\n  target\n            another: file\n"
            ),
            ""
        );
        assert_eq!(
            names(
                "usage: x [-h] FILE\n\nexamples:\n  x\n    help: print it\n  x FILE\n    file: read it\n"
            ),
            ""
        );
    }
}
