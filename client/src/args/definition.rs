//! The definition of the commands, which `commands.txt` has: a line for each command and each argument.
//!
//! `# GROUP` starts a part of the help of `ccctl`, `= WORD: ABOUT` a word, `== VERB, ALIAS > METHOD: ABOUT` a verb of it, and `* NAME` a list of
//! arguments that others include. After `>` is the method whose parameters the arguments are, if that is all there is to do, and further
//! parameters (`here`: the working directory; others with their values). A word with lines of
//! its own before its verbs, other than `usage` (`optional`, if it has no arguments), works without a verb. Two further lists contain alternative words for commands.
//!
//! An argument is its names, the name of its value (`<REQUIRED>`, `[OPTIONAL]`, `...` for several), and further words: the
//! kind of the value (`value.rs`), what completion offers (`@sessions`, `offer.rs`), and what clap is to know about it. A later line about the
//! same argument replaces an earlier one.
//!
//! Building all definitions takes longer than a call, so each word's is built only when it is asked for.

use super::offer::{DaemonPath, Offer, Use};
use super::value;
use clap::builder::{OsStringValueParser, TypedValueParser as _, ValueParser};
use clap::{Arg, ArgAction, ArgGroup, Command, ValueHint};
use serde_json::Value;
use std::sync::LazyLock;

const COMMANDS: &str = include_str!("commands.txt");

/// The group of words that are nowhere listed: other programs call them.
pub(super) const HIDDEN: &str = "hidden";

/// A word, as far as it is known without building its definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Where the help of `ccctl` lists it.
    pub(crate) group: &'static str,
}

/// All words in the order of the help.
pub(crate) fn words() -> impl Iterator<Item = Word> {
    let mut group = "";
    COMMANDS.lines().filter_map(move |line| {
        group = line.strip_prefix("# ").unwrap_or(group);
        let (name, about) = line.strip_prefix("= ")?.split_once(": ")?;
        Some(Word { name, about, group })
    })
}

/// Builds the definition of one word without the global options.
pub(super) fn definition(word: &str) -> Option<Command> {
    let (head, body) = section_of(word)?;
    let name = head.strip_prefix("= ")?.split(':').next()?;
    let mut verbs = body.split("\n== ");
    let own = verbs.next().unwrap_or_default();
    let command = with_arguments(Command::new(name), own);
    let command = command.about(head.split_once(": ")?.1);
    if !body.contains("\n== ") {
        return Some(command);
    }
    let has_arguments = command.get_arguments().next().is_some();
    let needs_verb = { own.lines() }.all(|line| line.is_empty() || line.starts_with("usage "));
    let command = if needs_verb {
        command
            .subcommand_required(true)
            .arg_required_else_help(true)
    } else {
        command.subcommand_negates_reqs(has_arguments)
    };
    Some(command.subcommands(verbs.filter_map(verb)))
}

fn verb(lines: &'static str) -> Option<Command> {
    let (head, body) = lines.split_once('\n').unwrap_or((lines, ""));
    let (names, about) = head.split_once(": ")?;
    let mut names = names.split(" > ").next()?.split(", ");
    let command = Command::new(names.next()?).about(about);
    Some(with_arguments(command, body).visible_aliases(names.collect::<Vec<_>>()))
}

/// The lines of a list, which have no arguments but pairs of texts.
pub(super) fn lines_of(list: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = list_named(list).unwrap_or_default();
    lines.lines().filter_map(|line| line.split_once(": "))
}

impl Offer {
    /// The words that a list of the definition has for this name.
    pub(crate) fn words_in(self, list: &str) -> Option<Vec<&'static str>> {
        let (_, words) = lines_of(list).find(|(name, _)| *name == self.0)?;
        Some(words.split(' ').collect())
    }
}

/// What follows `>` in the line of a verb.
pub(super) fn method_of(word: &str, verb: &str) -> Option<&'static str> {
    let (_, body) = section_of(word)?;
    let mut heads = body.lines().filter_map(|line| line.strip_prefix("== "));
    heads.find_map(|head| {
        let (names, method) = head.split_once(": ")?.0.split_once(" > ")?;
        (names.split(", ").next()? == verb).then_some(method)
    })
}

/// The first line of each section, and its other lines, with the line end before them.
static SECTIONS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let section = |mut section: &'static str| {
        if let Some((_, rest)) = section
            .strip_prefix("# ")
            .and_then(|it| it.split_once('\n'))
        {
            section = rest;
        }
        let section = section.trim_end();
        section.split_at(section.find('\n').unwrap_or(section.len()))
    };
    COMMANDS.split("\n\n").map(section).collect()
});

/// The section of a word.
fn section_of(word: &str) -> Option<(&'static str, &'static str)> {
    let is_of = |head: &str| {
        let rest = head
            .strip_prefix("= ")
            .and_then(|head| head.strip_prefix(word));
        rest.is_some_and(|rest| rest.starts_with(": "))
    };
    SECTIONS.iter().copied().find(|(head, _)| is_of(head))
}

/// The lines of a list that others include.
fn list_named(name: &str) -> Option<&'static str> {
    let is_named = |head: &str| head.strip_prefix("* ") == Some(name);
    let found = SECTIONS.iter().find(|(head, _)| is_named(head))?;
    Some(found.1)
}

fn with_arguments(mut command: Command, lines: &'static str) -> Command {
    let (mut arguments, mut usages, mut heading): (Vec<Arg>, _, _) = (Vec::new(), Vec::new(), None);
    for line in expanded(lines) {
        match line.split_once(' ') {
            Some(("usage", usage)) => usages.push(usage),
            Some(("group", group)) => command = command.group(argument_group(group)),
            // Of those that follow.
            Some(("heading", title)) => heading = Some(title),
            _ => {
                let Some(argument) = argument(line) else {
                    continue;
                };
                let argument = argument.help_heading(heading);
                let mut before = arguments.iter_mut();
                match before.find(|one| one.get_id() == argument.get_id()) {
                    Some(same) => *same = argument,
                    None => arguments.push(argument),
                }
            }
        }
    }
    if !usages.is_empty() {
        command = command.override_usage(usages.join("\n       "));
    }
    command.args(arguments)
}

/// The lines with those that they include.
fn expanded(lines: &'static str) -> Vec<&'static str> {
    let lines = lines
        .lines()
        .flat_map(|line| match line.strip_prefix("include ") {
            Some(list) => expanded(list_named(list).unwrap_or_default()),
            None => vec![line],
        });
    lines.collect()
}

fn argument_group(line: &'static str) -> ArgGroup {
    let mut words = line.split(' ');
    let group = ArgGroup::new(words.next().unwrap_or_default());
    words.fold(group, |group, word| match word {
        "required" => group.required(true),
        _ => group.multiple(true),
    })
}

fn argument(line: &'static str) -> Option<Arg> {
    let (words, help) = line.split_once(": ")?;
    let mut arg = Arg::new("").help(help).action(ArgAction::SetTrue);
    for word in words.split(' ') {
        arg = if let Some(long) = word.strip_prefix("--") {
            arg.id(long.replace('-', "_")).long(long)
        } else if let Some(short) = word.strip_prefix('-') {
            arg.short(short.chars().next())
        } else if word.starts_with(['<', '[']) {
            with_value(arg, word)
        } else if let Some(kind) = word.strip_prefix('@') {
            arg.add(Offer(kind))
        } else {
            with_word(arg, word)
        };
    }
    Some(arg)
}

fn with_value(arg: Arg, word: &'static str) -> Arg {
    let single = word.trim_end_matches("...");
    let name = &single[1..single.len() - 1];
    let is_many = single != word;
    let arg = arg.value_parser(reader("text"));
    match (arg.get_long().is_some(), is_many) {
        (true, true) => arg.value_name(name).action(ArgAction::Append),
        (true, false) => arg.value_name(name).action(ArgAction::Set),
        (false, _) => {
            let arg = arg.id(name).value_name(name.to_uppercase());
            let arg = arg.required(word.starts_with('<'));
            if is_many {
                // Options may stand between them.
                arg.action(ArgAction::Append).num_args(1..)
            } else {
                arg.action(ArgAction::Set)
            }
        }
    }
}

fn with_word(arg: Arg, word: &'static str) -> Arg {
    let Some((name, value)) = word.split_once('=') else {
        return match word {
            "required" => arg.required(true),
            "hidden" => arg.hide(true),
            "rare" => arg.hide_short_help(true),
            "comma" => arg.value_delimiter(','),
            "hyphen" => arg.allow_hyphen_values(true),
            "negative" => arg.allow_negative_numbers(true),
            "trailing" => arg.trailing_var_arg(true),
            "last" => arg.last(true),
            "own" => arg.add(Use::Own),
            "off" => arg.add(Use::Off),
            kind => of_kind(arg, kind),
        };
    };
    let ids = || value.split(',');
    match name {
        "as" => arg.id(value),
        "is" => arg.value_name(value),
        "alias" => arg.alias(value),
        "group" => arg.group(value),
        "default" => arg.default_value(value),
        "conflicts" => arg.conflicts_with_all(ids()),
        "overrides" => arg.overrides_with(value),
        "requires" => arg.requires(value),
        _ => arg.required(false).required_unless_present_any(ids()),
    }
}

fn of_kind(arg: Arg, kind: &'static str) -> Arg {
    let arg = match kind {
        "keys" => arg
            .env("CCD_DETACH_KEYS")
            .hide_env_values(true)
            .default_value("C-\\ d")
            .hide_default_value(true),
        "event" | "test_type" | "pattern_type" => arg.hide_possible_values(true),
        "place" => arg.add(DaemonPath::Directory),
        "project" => arg.add(DaemonPath::Project),
        "tape" => arg.add(DaemonPath::Tape),
        "text_file" => arg.add(DaemonPath::Text),
        "json_file" => arg.add(DaemonPath::Document),
        _ => arg,
    };
    let arg = match kind {
        "dir" | "place" | "project" => arg.value_hint(ValueHint::DirPath),
        "file" | "text_file" | "json_file" => arg.value_hint(ValueHint::AnyPath),
        "program" => arg.value_hint(ValueHint::CommandName),
        "command" => arg.value_hint(ValueHint::CommandWithArguments),
        _ => arg,
    };
    if kind == "raw" {
        let shown = |word: std::ffi::OsString| Value::from(word.to_string_lossy());
        return arg.value_parser(OsStringValueParser::new().map(shown));
    }
    match value::names(kind) {
        Some(names) if kind == "switch" => {
            let state = value::one_of(names).map(|state| Value::from(state == "on"));
            let arg = arg.add(Use::Switch).ignore_case(true);
            arg.value_parser(state)
        }
        Some(names) => arg.ignore_case(true).value_parser(value::one_of(names)),
        None if value::is_number(kind) => {
            arg.allow_negative_numbers(true).value_parser(reader(kind))
        }
        None => arg.value_parser(reader(kind)),
    }
}

fn reader(kind: &'static str) -> ValueParser {
    ValueParser::new(move |text: &str| value::read(kind, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Ccctl;
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;

    const RELATIONS: &str = "as is alias group default conflicts overrides requires unless";
    const OFFERS: &str = "live sessions keys variables methods permission_modes";
    const FLAGS: &str = "required hidden rare comma hyphen negative trailing last own off";

    #[test]
    fn the_methods_that_verbs_call_exist() {
        let heads = COMMANDS.lines().filter(|line| line.starts_with("== "));
        let calls: Vec<_> = heads
            .filter_map(|head| head.split_once(" > ")?.1.split(':').next())
            .collect();
        assert!(!calls.is_empty());
        for call in calls {
            let (method, more) = call.split_once(' ').unwrap_or((call, ""));
            let mut known = ccd_protocol::methods();
            assert!(known.any(|one| one.name == method), "{method}");
            assert!(matches!(more, "" | "here" | "open true"), "{call}");
        }
    }

    #[test]
    fn options_may_stand_between_the_values_of_a_list() {
        for line in [
            "close a --grace 1 b",
            "expect s p1 --exact p2",
            "pattern set error mine x --description d -- -y",
        ] {
            assert!(crate::args::parsed(line).is_ok(), "{line}");
        }
        let word = OsString::from_vec(vec![0xff]);
        let words = ["ccctl", "complete", "2", "ccctl", "send"].map(OsString::from);
        let words = [&words[..], &[word]].concat();
        assert!(Ccctl::parse_words(&words).is_ok());
    }

    #[test]
    fn every_line_is_an_argument_with_a_known_kind() {
        for line in COMMANDS
            .lines()
            .filter(|line| line.starts_with(['-', '<', '[']))
        {
            let (words, _) = line.split_once(": ").expect(line);
            for word in words.split(' ').skip_while(|word| word.starts_with('-')) {
                let is_known = match word.strip_prefix('@') {
                    Some(kind) => {
                        let mut lists = ["offered names", "offered words"].into_iter();
                        lists.any(|list| Offer(kind).words_in(list).is_some())
                            || OFFERS.split(' ').any(|one| one == kind)
                    }
                    None if word.starts_with(['<', '[']) => true,
                    None => match word.split_once('=') {
                        Some((name, _)) => RELATIONS.split(' ').any(|one| one == name),
                        None => FLAGS.split(' ').any(|one| one == word) || value::is_known(word),
                    },
                };
                assert!(is_known, "{word} in {line}");
            }
        }
        let included = COMMANDS
            .lines()
            .filter_map(|line| line.strip_prefix("include "));
        for list in included {
            assert!(list_named(list).is_some(), "{list}");
        }
    }
}
