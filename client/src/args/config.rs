//! `ccctl config`.

use clap::Subcommand;

/// What to do with the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    /// List every key with its value and where it comes from
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  ccctl config list
  ccctl config list --json"
    )]
    List,
    /// Show one key
    #[command(
        visible_alias = "show",
        after_help = "Examples:
  ccctl config get max_sessions
  ccctl config get limits.connections --json"
    )]
    Get { key: String },
    /// Check a file without using it
    #[command(after_help = "Examples:
  ccctl config check
  ccctl config check new.json && ccctl daemon reload")]
    Check {
        /// The file [default: the one in use]
        file: Option<String>,
    },
    /// Print the path of the file in use
    #[command(after_help = "Examples:
  $EDITOR \"$(ccctl config path)\"")]
    Path,
    /// Print a file with every key and its default
    #[command(after_help = "Examples:
  ccctl config example > ~/.config/ccd/config.json")]
    Example,
}
