//! Go's cobra, with several lists of commands if a program groups them:
//!
//! ```text
//! Usage:
//!   prog [command]
//!
//! Available Commands:
//!   create      Create it
//!
//! Flags:
//!   -h, --help   help for prog
//!
//! Use "prog [command] --help" for more information about a command.
//! ```
//!
//! docker calls its flags options, gh has headings in capitals and names that end with a colon.

use super::read_sections;
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::{Line, Page};

const HEADINGS: [&str; 6] = [
    "Flags:",
    "Global Flags:",
    "FLAGS",
    "INHERITED FLAGS",
    "Available Commands:",
    "CORE COMMANDS",
];

pub(in crate::help) fn recognises(page: &Page) -> bool {
    // `Use "kubectl <command> --help" for`, `Run 'docker COMMAND --help' for`, `Use "kubectl options" for`
    let points_to_help = |line: &Line| {
        let quoted = ["Use \"", "Run '"]
            .iter()
            .find_map(|sign| line.text.strip_prefix(sign));
        let is_command =
            |quoted: &str| quoted.contains(" --help") || quoted.starts_with("kubectl options");
        quoted
            .and_then(|rest| rest.split_once(['"', '\'']))
            .is_some_and(|(quoted, rest)| is_command(quoted) && rest.starts_with(" for "))
    };
    // docker's sub-commands: two blanks after the colon.
    let is_docker =
        |line: &Line| line.text.starts_with("Usage:  ") && line.text.contains("[OPTIONS]");
    page.has_line(&HEADINGS)
        || page.position(points_to_help).is_some()
        || page.position(is_docker).is_some()
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    read_sections(page, Shape::Cobra)
}
