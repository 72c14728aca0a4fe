//! Docopt, where the help text is the grammar:
//!
//! ```text
//! Usage:
//!   naval_fate ship new <name>...
//!   naval_fate mine (set|remove) <x> <y> [--moored | --drifting]
//!   naval_fate (-h | --help)
//!
//! Options:
//!   --speed=<kn>  Speed in knots [default: 10].
//! ```
//!
//! Commands are the words of the usage that are neither options nor operands.

use super::read_sections;
use crate::help::commands::Commands;
use crate::help::help_text::{HelpCommand, HelpText, Shape};
use crate::help::page::Page;
use crate::help::usage::usage;

pub(in crate::help) fn recognises(page: &Page) -> bool {
    let heading = page.position(|line| line.text.eq_ignore_ascii_case("usage:"));
    let below = heading.and_then(|index| page.lines.get(index + 1));
    let has_grammar = || {
        let lines = usage(page).lines;
        let is_grammar =
            |line: &String| line.contains('<') || line.contains("(-") || line.contains(" --");
        lines.len() >= 2 && lines.iter().any(is_grammar)
    };
    // clap 2 prints `USAGE:` in capitals.
    below.is_some_and(|line| line.indent > 0)
        && !page.has_line(&["USAGE:"])
        && page.has_line(&["Options:"])
        && has_grammar()
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let help = read_sections(page, Shape::Docopt);
    if !help.commands.is_empty() {
        return help;
    }
    let mut commands = Commands::default();
    for form in &help.usage {
        let mut words = form.split(' ').skip(1);
        if let Some(name) = words.next().filter(|word| is_command(word)) {
            let arguments: Vec<&str> = words.collect();
            commands.add(HelpCommand {
                name: name.to_owned(),
                arguments: arguments.join(" "),
                ..HelpCommand::default()
            });
        }
    }
    HelpText {
        commands: commands.finish(),
        ..help
    }
}

/// Returns whether a word of the usage stands for itself: `<file>` and `FILE` are operands.
fn is_command(word: &str) -> bool {
    word.starts_with(char::is_lowercase)
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || "-_".contains(c))
}
