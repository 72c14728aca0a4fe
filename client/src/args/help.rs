//! The texts after the options in the help of the commands, which `help.txt` has: examples, and what else to know.
//! They are added only where help is shown: every other command line is parsed sooner without them.

use super::definition::{HIDDEN, words};
use super::{Global, definition};
use clap::builder::StyledStr;
use clap::{Args as _, Command};
use std::collections::HashMap;

/// Sections with a line of the commands that have the text, separated by commas, and the text.
const TEXTS: &str = include_str!("help.txt");

/// The group of words that are listed by name only.
const MORE: &str = "more";
/// Most columns of a line in the list of words, which is not wrapped.
const MAX_LINE: usize = 80;

/// Before the line of the commands.
const MARK: &str = "## ";

const ABOUT: &str = "Drives any terminal program: starts it, types, waits, reads its screen";

/// The end of a help on one screen.
const MORE_IN_HELP: &str = "Global options: --socket, --host, --json, --no-start, --verbose.\n--help shows all options and examples.";

/// How many examples are on one screen with the options.
const EXAMPLES_IN_SHORT: usize = 2;

/// The definition without commands, for `--version`.
pub(super) fn bare() -> Command {
    let root = Command::new("ccctl")
        .version(env!("CARGO_PKG_VERSION"))
        .arg_required_else_help(true)
        .disable_help_subcommand(true);
    Global::augment_args(root).about(ABOUT)
}

/// The definition of all commands, with these texts.
pub(crate) fn whole_definition() -> Command {
    let nouns = words().filter_map(|word| {
        let command = definition(word.name)?;
        Some(command.hide(word.group == HIDDEN))
    });
    let root = bare().subcommand_required(true).subcommands(nouns);
    with_texts(root, "ccctl", &texts())
}

/// The definition of one word, with its texts, for `--help`.
pub(super) fn explained(noun: &str) -> Option<Command> {
    let command = definition(noun)?;
    Some(with_texts(command, &format!("ccctl {noun}"), &texts()))
}

/// The definition of one word for `-h`: with few examples, without notes and rare options, and with one line for the
/// global options.
pub(super) fn summarised(noun: &str) -> Option<Command> {
    let mut short = texts();
    for text in short.values_mut() {
        let lines = text.split_inclusive('\n').take(1 + EXAMPLES_IN_SHORT);
        let end = lines.take_while(|line| *line != "\n").map(str::len).sum();
        *text = text[..end].trim_end();
    }
    Some(in_short(
        definition(noun)?,
        &format!("ccctl {noun}"),
        &short,
    ))
}

/// The definition of all words for their help, short or explained.
pub(super) fn root(is_explained: bool) -> Command {
    let root = with_groups(whole_definition());
    if is_explained {
        root
    } else {
        in_short(root, "ccctl", &HashMap::new())
    }
}

/// The help of `ccctl` on one screen.
pub(crate) fn help() -> StyledStr {
    root(false).render_help()
}

fn in_short(command: Command, path: &str, texts: &HashMap<&str, &'static str>) -> Command {
    let end = match texts.get(path) {
        Some(text) => format!("{text}\n\n{MORE_IN_HELP}"),
        None => MORE_IN_HELP.to_owned(),
    };
    command
        .after_help(end)
        .mut_args(|arg| {
            let is_hidden = arg.is_hide_set() || arg.is_global_set();
            arg.hide(is_hidden)
        })
        .mut_subcommands(|inner| {
            let path = format!("{path} {}", inner.get_name());
            in_short(inner, &path, texts)
        })
}

/// Lists the words in groups, the rarer ones by name only.
pub(super) fn with_groups(root: Command) -> Command {
    let mut list = String::new();
    let mut title = "";
    for word in words().filter(|word| word.group != MORE && word.group != HIDDEN) {
        if word.group != title {
            title = word.group;
            list.push_str(&format!("\n{title}:\n"));
        }
        list.push_str(&format!("  {:<13} {}\n", word.name, word.about));
    }
    let mut more = String::from("More:");
    let mut width = more.len();
    for word in words().filter(|word| word.group == MORE) {
        if width + word.name.len() + 1 > MAX_LINE {
            more.push_str("\n     ");
            width = 5;
        }
        more.push(' ');
        more.push_str(word.name);
        width += word.name.len() + 1;
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{list}\n{more}\n\n{{all-args}}{{after-help}}"
    );
    root.mut_subcommands(|command| command.hide(true))
        .override_usage("ccctl [OPTIONS] <COMMAND>")
        .help_template(template)
}

fn texts() -> HashMap<&'static str, &'static str> {
    let sections = TEXTS
        .split(MARK)
        .filter_map(|section| section.split_once('\n'));
    let texts = sections.flat_map(|(commands, text)| {
        let commands = commands.split(", ");
        commands.map(move |command| (command, text.trim_end()))
    });
    texts.collect()
}

fn with_texts(command: Command, path: &str, texts: &HashMap<&str, &'static str>) -> Command {
    let command = match texts.get(path) {
        Some(text) => command.after_help(*text),
        None if command.has_subcommands() => {
            command.after_help(format!("{path} COMMAND --help explains a command."))
        }
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
    fn the_words_of_every_day_are_on_one_screen_and_old_ones_are_not_there() {
        let help = help().to_string();
        let lines: Vec<&str> = help.lines().collect();
        assert!(lines.len() <= 50, "{help}");
        let too_wide = lines.iter().filter(|line| line.chars().count() > MAX_LINE);
        assert_eq!(too_wide.collect::<Vec<_>>(), [&""; 0], "{help}");
        for (word, is_shown) in [
            ("  new ", true),
            ("  exec ", true),
            ("More: session ", true),
            (" proxy", false),
            ("  hook ", false),
            ("dial", false),
        ] {
            assert_eq!(help.contains(word), is_shown, "{word}: {help}");
        }
    }

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
