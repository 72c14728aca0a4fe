//! Lists of commands.

use super::entry::{self, Description, Entry, column_list, comma_list};
use super::help_text::{HelpCommand, MAX_ENTRIES};
use super::page::{Line, Page};
use super::sections::sections;
use std::collections::HashSet;

/// How many names make a list that has only names.
const LEAST_NAMES: usize = 3;

/// The entry whose description is being read.
struct Open {
    indent: usize,
    /// None if it is an option.
    command: Option<HelpCommand>,
    description: Description,
}

/// Commands in order, without duplicates.
#[derive(Default)]
pub(super) struct Commands {
    list: Vec<HelpCommand>,
    names: HashSet<String>,
}

impl Commands {
    pub(super) fn add(&mut self, command: HelpCommand) {
        if self.list.len() < MAX_ENTRIES && self.names.insert(command.name.clone()) {
            self.names.extend(command.aliases.iter().cloned());
            self.list.push(command);
        }
    }

    pub(super) fn add_names<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        self.extend(names.into_iter().map(HelpCommand::named));
    }

    pub(super) fn extend(&mut self, commands: impl IntoIterator<Item = HelpCommand>) {
        for command in commands {
            self.add(command);
        }
    }

    /// Adds the entries of a list: names with descriptions, or only names.
    pub(super) fn add_list(&mut self, lines: &[Line]) {
        if !self.add_bare_list(lines) {
            self.add_entries(lines, |line| entry::read(&line.text));
        }
    }

    /// Adds entries; lines that are indented further than an entry continue its description.
    pub(super) fn add_entries<'a>(
        &mut self,
        lines: &'a [Line],
        read: impl Fn(&'a Line) -> Option<Entry<'a>>,
    ) {
        let mut open: Option<Open> = None;
        for line in lines.iter().filter(|line| !line.is_blank()) {
            match &mut open {
                Some(open) if line.indent > open.indent => open.description.add(&line.text),
                // The rest of long arguments.
                Some(_) if line.text.starts_with(['[', '<']) => {}
                _ => {
                    self.close(open.take());
                    let entry = read(line);
                    // What is below an option describes the option.
                    let is_open = entry.is_some() || line.text.starts_with('-');
                    open = is_open.then(|| Open {
                        indent: line.indent,
                        description: Description::new(
                            entry.as_ref().map_or("", |entry| entry.description),
                        ),
                        command: entry.as_ref().map(HelpCommand::from_entry),
                    });
                }
            }
        }
        self.close(open);
    }

    pub(super) fn finish(self) -> Vec<HelpCommand> {
        self.list
    }

    fn close(&mut self, open: Option<Open>) {
        let Some(Open {
            command: Some(command),
            description,
            ..
        }) = open
        else {
            return;
        };
        self.add(HelpCommand {
            description: description.finish(),
            ..command
        });
    }

    /// Adds `a, b, c` or `a   b   c`; returns whether the lines are such a list.
    fn add_bare_list(&mut self, lines: &[Line]) -> bool {
        let lines = || lines.iter().filter(|line| !line.is_blank());
        for names_of in [comma_list, column_list] {
            let is_list = lines()
                .next()
                .and_then(|line| names_of(&line.text))
                .is_some_and(|names| names.len() >= LEAST_NAMES)
                && lines().all(|line| names_of(&line.text).is_some());
            if is_list {
                self.add_names(lines().filter_map(|line| names_of(&line.text)).flatten());
                return true;
            }
        }
        false
    }
}

/// Returns the commands below all headings that announce them.
pub(super) fn below_headings(page: &Page, is_heading: impl Fn(&Line) -> bool) -> Vec<HelpCommand> {
    let mut commands = Commands::default();
    for section in sections(page, is_heading) {
        commands.add_list(section);
    }
    commands.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help::sections::announces_commands;

    fn found(text: &str) -> Vec<String> {
        below_headings(&Page::parse(text), announces_commands)
            .into_iter()
            .map(|command| format!("{}={}", command.name, command.description))
            .collect()
    }

    #[test]
    fn a_list_may_have_descriptions_or_only_names() {
        assert_eq!(
            found("Commands:\n  add    Add it\n         here\n  remove\n    Remove it\n"),
            ["add=Add it here", "remove=Remove it"]
        );
        assert_eq!(
            found("All commands:\n\n    access, adduser, ci,\n    view, whoami\n").len(),
            5
        );
        assert_eq!(found("COMMANDS\n  a   b   c\n  d   e\n").len(), 5);
        assert_eq!(found("Options:\n  add    Add it\n"), Vec::<String>::new());
    }
}
