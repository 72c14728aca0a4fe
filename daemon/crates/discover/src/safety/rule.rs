//! The rules of safe mode.

use serde::Deserialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// The program's own help, or the name of the command in it, says that it deletes, resets, wipes or overwrites.
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
