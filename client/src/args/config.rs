//! `ccctl config`.

use clap::Subcommand;

/// Commands for the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    /// List all configuration keys with their values and sources
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  ccctl config list
  ccctl config list --json"
    )]
    List,
    /// Show one configuration key
    #[command(
        visible_alias = "show",
        after_help = "Examples:
  ccctl config get max_sessions
  ccctl config get limits.connections --json"
    )]
    Get {
        /// Configuration key, such as max_sessions
        key: String,
    },
    /// Check a configuration file without loading it
    #[command(after_help = "Examples:
  ccctl config check
  ccctl config check && ccctl daemon reload")]
    Check {
        /// File to check [default: the one in use]
        file: Option<String>,
    },
    /// Print the path of the configuration file in use
    #[command(after_help = "Examples:
  $EDITOR \"$(ccctl config path)\"")]
    Path,
    /// Print an example file with all keys and their defaults
    #[command(after_help = "Examples:
  ccctl config example > ~/.config/ccd/config.json")]
    Example,
}
