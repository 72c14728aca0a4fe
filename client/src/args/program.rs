//! `ccctl program`.

use super::offer::NameKind;
use clap::{ArgGroup, Args, Subcommand, ValueHint};

/// Commands for program configurations.
#[derive(Debug, Subcommand)]
pub(crate) enum ProgramVerb {
    /// List program configurations
    #[command(visible_alias = "ls")]
    List,
    /// Show a program configuration
    #[command(visible_alias = "show")]
    Get {
        /// Name of the configuration
        #[arg(add = NameKind::Programs)]
        name: String,
    },
    /// Save a program configuration, from a session or from a file
    Save(SaveArgs),
    /// Delete a program configuration
    #[command(visible_alias = "rm")]
    Delete {
        /// Name of the configuration
        #[arg(add = NameKind::Programs)]
        name: String,
    },
}

/// Arguments of `program save`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("source").args(["session", "file"]).required(true))]
pub(crate) struct SaveArgs {
    /// Name of the configuration
    #[arg(add = NameKind::Programs)]
    pub(crate) name: String,
    /// Save what was expected and sent in this session, live or ended; hidden input is asked for at each start
    #[arg(long, value_name = "SESSION")]
    #[arg(add = NameKind::Sessions)]
    pub(crate) session: Option<String>,
    /// Save this JSON file; - for standard input
    #[arg(long, value_name = "FILE")]
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<String>,
    /// Overwrite an existing configuration of this name
    #[arg(long)]
    pub(crate) force: bool,
}
