//! Any other text: the pattern library knows lines such as `name - text` and `[name] text`, and the user's own. A text
//! without them may name its commands in one line, or be a table of names and descriptions.

use super::commands::Commands;
use super::entry::{self, Description, comma_list};
use super::help_text::{HelpCommand, HelpText};
use super::options::options;
use super::page::{Line, Page, split_at_gap};
use ccd_text::pattern::Compiled;

/// How many aligned lines make a list of commands.
const LEAST_ALIGNED: usize = 2;

pub(super) fn read(page: &Page, library: &Compiled) -> HelpText {
    let found = library.classify(&page.text());
    let mut commands = Commands::default();
    for command in &found.commands {
        if let Some(entry) =
            entry::parse_term(&command.name).filter(|entry| !entry.name.starts_with('-'))
        {
            commands.add(HelpCommand {
                description: Description::new(&command.description).finish(),
                ..HelpCommand::from_entry(&entry)
            });
        }
    }
    let mut commands = commands.finish();
    if commands.is_empty() {
        commands = inline(page);
    }
    if commands.is_empty() {
        commands = aligned(page);
    }
    HelpText {
        options: options(page, &(0..0)),
        ..HelpText::list(commands)
    }
}

/// Returns the names of `Commands: help, list, quit`.
fn inline(page: &Page) -> Vec<HelpCommand> {
    let mut commands = Commands::default();
    for line in &page.lines {
        let list = line.text.split_once(':').filter(|(heading, _)| {
            let last = heading.rsplit(' ').next().unwrap_or_default();
            last.eq_ignore_ascii_case("commands")
        });
        let names = list.and_then(|(_, names)| comma_list(names.trim_end_matches('.')));
        commands.add_names(names.filter(|names| names.len() > 1).unwrap_or_default());
    }
    commands.finish()
}

/// Returns the commands of a text that consists mostly of lines `name   description`, aligned.
fn aligned(page: &Page) -> Vec<HelpCommand> {
    let lines = || page.lines.iter().filter(|line| !line.is_blank());
    let column = |line: &Line| {
        let (_, description) = split_at_gap(&line.text)?;
        let is_entry =
            entry::read(&line.text).is_some() && description.contains(char::is_alphabetic);
        is_entry.then(|| line.indent + line.text.chars().count() - description.chars().count())
    };
    let Some(first) = lines().find_map(column) else {
        return Vec::new();
    };
    let is_aligned = |line: &&Line| column(line) == Some(first);
    let count = lines().filter(is_aligned).count();
    let mut commands = Commands::default();
    if count >= LEAST_ALIGNED && count * 2 > lines().count() {
        for line in lines().filter(is_aligned) {
            commands.add_entries(std::slice::from_ref(line), |line| entry::read(&line.text));
        }
    }
    commands.finish()
}
