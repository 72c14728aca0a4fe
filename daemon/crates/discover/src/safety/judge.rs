//! Whether a line may be sent.

use super::rule::Rule;
use super::{code, named, said, shell, sql};
use crate::help::HelpCommand;

/// Returns the rule by which a line must not be sent to a program, whatever the program is.
pub fn refusal(line: &str) -> Option<Rule> {
    sql::refusal(line)
        .or_else(|| code::refusal(line))
        .or_else(|| shell::refusal(line))
}

/// Returns the rule by which a line with a command that a program has must not be sent to it, because of the line, or of
/// what the name of the command or its help says.
/// The line of a sub-command starts with the program: `systemctl suspend`. Asking the program to explain the command is
/// not using it: `help delete` passes.
pub fn refusal_of(line: &str, command: &HelpCommand) -> Option<Rule> {
    refusal(line).or_else(|| {
        let is_use = !shell::asks_for_help(line);
        let destroys = named::destroys(&command.name) || said::destroys(&command.description);
        (is_use && destroys).then_some(Rule::DestructiveHelp)
    })
}
