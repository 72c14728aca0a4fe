//! `ccctl memory`.

use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

/// Commands for session memory.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryVerb {
    /// Collect the state of a project and write it to .claude/session-memory.md
    Save(MemorySaveArgs),
    /// Show the memory of a project
    Show(MemoryProjectArgs),
    /// Check a memory file
    Validate {
        /// File, or - for standard input
        file: PathBuf,
    },
    /// Print the digest that a new Claude Code session gets
    Load(MemoryProjectArgs),
    /// Show how old the memory is, and what changed since
    Status(MemoryProjectArgs),
    /// Import the memory in CLAUDE.md, so that Claude Code always reads the whole file
    Link(MemoryLinkArgs),
}

/// The project.
#[derive(Debug, Args)]
pub(crate) struct MemoryProjectArgs {
    /// Directory of the project [default: the nearest directory, from the current one upwards, that has a memory or is the root of a git work tree; otherwise the current directory]
    #[arg(short, long, value_name = "DIR")]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) project: Option<String>,
}

/// Arguments of `memory link`.
#[derive(Debug, Args)]
pub(crate) struct MemoryLinkArgs {
    #[command(flatten)]
    pub(crate) project: MemoryProjectArgs,
    /// Change the file without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// Arguments of `memory save`.
#[derive(Debug, Args)]
pub(crate) struct MemorySaveArgs {
    #[command(flatten)]
    pub(crate) project: MemoryProjectArgs,
    /// Write the memory from this JSON file (- for standard input) instead of collecting it from the project
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
}
