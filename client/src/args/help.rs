//! The texts after the options in the help of the commands, which `help.txt` has: examples, and what else to know.
//! They are added only where help is shown: every other command line is parsed sooner without them.

use super::Ccctl;
use clap::{Command, CommandFactory as _};
use std::collections::HashMap;

/// Sections with a line of the commands that have the text, separated by commas, and the text.
const TEXTS: &str = include_str!("help.txt");

/// Before the line of the commands.
const MARK: &str = "## ";

/// The definition of all commands, with these texts.
pub(crate) fn whole_definition() -> Command {
    let sections = TEXTS
        .split(MARK)
        .filter_map(|section| section.split_once('\n'));
    let texts = sections.flat_map(|(commands, text)| {
        let commands = commands.split(", ");
        commands.map(move |command| (command, text.trim_end()))
    });
    with_texts(Ccctl::command(), "ccctl", &texts.collect())
}

fn with_texts(command: Command, path: &str, texts: &HashMap<&str, &'static str>) -> Command {
    let command = match texts.get(path) {
        Some(text) => command.after_help(*text),
        None => command,
    };
    command.mut_subcommands(|inner| {
        let path = format!("{path} {}", inner.get_name());
        with_texts(inner, &path, texts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_has_an_example_and_every_text_its_commands() {
        fn visit(command: &Command, path: &str, all: &mut Vec<String>, without: &mut Vec<String>) {
            let help = command.get_after_help().map(ToString::to_string);
            if !command.has_subcommands() && !help.is_some_and(|help| help.contains("ccctl ")) {
                without.push(path.to_owned());
            }
            all.push(path.to_owned());
            for verb in command.get_subcommands() {
                visit(verb, &format!("{path} {}", verb.get_name()), all, without);
            }
        }
        let (mut all, mut without) = (Vec::new(), Vec::new());
        visit(&whole_definition(), "ccctl", &mut all, &mut without);
        assert!(without.is_empty(), "without an example: {without:?}");
        let lines = TEXTS.lines().filter_map(|line| line.strip_prefix(MARK));
        for path in lines.flat_map(|line| line.split(", ")) {
            assert!(all.iter().any(|one| one == path), "no command {path:?}");
        }
    }
}
