//! The rules of safe mode.

use super::{code, said, shell, sql};
use crate::help::HelpCommand;

/// Why a line is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Recursive or forced deletion.
    Deletion,
    /// Disks are formatted, partitioned or overwritten.
    Disk,
    /// Data of a database is dropped, truncated, or deleted without a condition.
    Database,
    /// The machine is stopped.
    Shutdown,
    ForkBomb,
    /// The network is configured.
    Network,
    /// Users, passwords, keys or logins are changed.
    Credentials,
    PackageRemoval,
    /// The program's own help says that the command deletes, resets, wipes or overwrites.
    DestructiveHelp,
}

impl Rule {
    /// The name in reports and errors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deletion => "deletion",
            Self::Disk => "disk",
            Self::Database => "database",
            Self::Shutdown => "shutdown",
            Self::ForkBomb => "fork_bomb",
            Self::Network => "network",
            Self::Credentials => "credentials",
            Self::PackageRemoval => "package_removal",
            Self::DestructiveHelp => "destructive_help",
        }
    }
}

/// Returns the rule by which a line must not be sent to a program, whatever the program is.
pub fn refusal(line: &str) -> Option<Rule> {
    sql::refusal(line)
        .or_else(|| code::refusal(line))
        .or_else(|| shell::refusal(line))
}

/// Returns the rule by which a line with a command of a program must not be sent to it.
///
/// Asking the program to explain the command is not using it: `help delete` passes.
pub fn refusal_of(line: &str, command: &HelpCommand) -> Option<Rule> {
    refusal(line).or_else(|| {
        let is_use = !shell::asks_for_help(line);
        (is_use && said::destroys(&command.description)).then_some(Rule::DestructiveHelp)
    })
}
