//! `ccctl config`.

use super::offer::NameKind;
use clap::{Subcommand, ValueHint};

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
        #[arg(add = NameKind::ConfigKeys)]
        key: String,
    },
    /// Check a configuration file without loading it
    Check {
        /// File to check [default: the one in use]
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<String>,
    },
    /// Print the path of the configuration file in use
    Path,
    /// Print an example file with all keys and their defaults
    Example,
}
