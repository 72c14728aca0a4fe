//! `ccctl config`.

use clap::Subcommand;

/// Commands for the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    /// List all configuration keys with their values and sources
    #[command(visible_alias = "ls")]
    List,
    /// Show one configuration key
    #[command(visible_alias = "show")]
    Get {
        /// Configuration key, such as max_sessions
        key: String,
    },
    /// Check a configuration file without loading it
    Check {
        /// File to check [default: the one in use]
        file: Option<String>,
    },
    /// Print the path of the configuration file in use
    Path,
    /// Print an example file with all keys and their defaults
    Example,
}
