//! What programs print for `--help`, and pages of the manual: usage, options, and commands below headings.
//!
//! ```text
//! Usage: prog [OPTIONS] COMMAND
//!
//! Commands:
//!   add   Add it
//!
//! Options:
//!   -q, --quiet           Print nothing
//!       --color <WHEN>
//!           When to use colours
//! ```
//!
//! So do clap, click, cobra and commander. Headings, spelling and columns differ, but not so much that each would need
//! a reader of its own. What does is here: git, busybox and docopt, and the groups of argparse.

use super::argparse;
use super::commands::{Commands, below_headings};
use super::flags;
use super::help_text::{HelpCommand, HelpText};
use super::options::options;
use super::page::{Line, Page};
use super::sections::{announces_commands, sections};
use super::usage::{Usage, below, is_label, usage};

/// Headings that, together with a usage line, only the help of a command line has.
const HEADINGS: [&str; 14] = [
    "options:",
    "optional arguments:",
    "positional arguments:",
    "Positional arguments:",
    "Options:",
    "OPTIONS:",
    "FLAGS:",
    "Flags:",
    "Global Flags:",
    "FLAGS",
    "INHERITED FLAGS",
    "Commands:",
    "Available Commands:",
    "CORE COMMANDS",
];

/// How many options make a help text that has neither usage lines nor a list of commands.
const LEAST_OPTIONS: usize = 2;

/// git lists common commands below headings without a colon: `start a working area (see also: git help tutorial)`.
const GIT_COMMON: &str = "These are common Git commands used in various situations:";

/// The list of busybox without an applet, separated by commas.
const BUSYBOX_FUNCTIONS: &str = "Currently defined functions:";

/// Returns whether a text can be nothing else.
pub(super) fn is_certain(page: &Page) -> bool {
    let has_usage = page.position(is_label).is_some();
    is_man_page(page) || (has_usage && (page.has_line(&HEADINGS) || page.has_help_option()))
}

/// Returns whether a text that is no list of commands is the help of a command line.
pub(super) fn is_likely(page: &Page) -> bool {
    let is_option = |line: &&Line| flags::read(&line.text, None).is_some();
    let mut options = page.lines.iter().filter(is_option);
    !usage(page).lines.is_empty()
        || options.nth(LEAST_OPTIONS - 1).is_some()
        || sections(page, announces_commands).next().is_some()
}

pub(super) fn read(page: &Page) -> HelpText {
    let is_man = is_man_page(page);
    let usage = if is_man {
        let synopsis = page.position(|line| line.text == "SYNOPSIS");
        synopsis.map_or_else(Usage::default, |index| below(page, index, ""))
    } else {
        usage(page)
    };
    HelpText {
        options: options(page, &usage.range),
        commands: if is_man {
            below_headings(page, |line| line.indent == 0 && announces_commands(line))
        } else {
            commands(page, &usage.lines)
        },
        usage: usage.lines,
        ..HelpText::default()
    }
}

/// Returns whether the first line is `LS(1)   User Commands   LS(1)`.
fn is_man_page(page: &Page) -> bool {
    let is_page = |cell: &str| cell.ends_with(')') && cell.contains('(') && !cell.contains(' ');
    let is_title = |line: &Line| {
        let (first, last) = (line.cells().next(), line.cells().last());
        first == last && first.is_some_and(is_page)
    };
    page.first().is_some_and(is_title) && page.has_line(&["NAME"])
}

fn commands(page: &Page, usage: &[String]) -> Vec<HelpCommand> {
    let commands = argparse::sub_commands(page);
    if !commands.is_empty() {
        return commands;
    }
    let is_git = page.has_line(&[GIT_COMMON]);
    let commands = below_headings(page, |line| {
        let is_group = line.indent == 0 && !line.text.starts_with("usage:");
        announces_commands(line) || line.text == BUSYBOX_FUNCTIONS || (is_git && is_group)
    });
    if commands.is_empty() && is_docopt(page, usage) {
        return commands_in_usage(usage);
    }
    commands
}

/// Returns whether the usage is the grammar of docopt:
///
/// ```text
/// Usage:
///   naval_fate ship new <name>...
///   naval_fate mine (set|remove) <x> <y> [--moored | --drifting]
///   naval_fate (-h | --help)
/// ```
fn is_docopt(page: &Page, usage: &[String]) -> bool {
    let heading = page.position(|line| line.text.eq_ignore_ascii_case("usage:"));
    let below = heading.and_then(|index| page.lines.get(index + 1));
    let is_grammar = |line: &String| ["<", "(-", " --"].iter().any(|sign| line.contains(sign));
    // clap 2 prints `USAGE:` in capitals.
    below.is_some_and(|line| line.indent > 0)
        && !page.has_line(&["USAGE:"])
        && page.has_line(&["Options:"])
        && usage.len() >= 2
        && usage.iter().any(is_grammar)
}

/// Returns the words of a grammar that are neither options nor operands.
fn commands_in_usage(usage: &[String]) -> Vec<HelpCommand> {
    let is_part = |c: char| c.is_alphanumeric() || "-_".contains(c);
    // `<file>` and `FILE` are operands.
    let is_command =
        |word: &&str| word.starts_with(char::is_lowercase) && word.chars().all(is_part);
    let mut commands = Commands::default();
    for form in usage {
        let mut words = form.split(' ').skip(1);
        if let Some(name) = words.next().filter(is_command) {
            commands.add(HelpCommand {
                arguments: words.collect::<Vec<_>>().join(" "),
                ..HelpCommand::named(name)
            });
        }
    }
    commands.finish()
}
