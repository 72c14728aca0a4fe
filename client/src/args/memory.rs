//! `ccctl memory`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Commands for session memory.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryVerb {
    /// Look at a project and write .claude/session-memory.md
    #[command(after_help = "Examples:
  ccctl memory save
  ccctl memory save --project ~/src/app
  ccctl memory show --json > memory.json; ccctl memory save --from memory.json

The file has what is done, what fails, what runs, what blocks and what comes next. Secrets are removed, \
and git does not see the file: it is listed in .git/info/exclude. No program is started, and nothing \
leaves this machine.")]
    Save(MemorySaveArgs),
    /// Show the memory of a project
    #[command(after_help = "Examples:
  ccctl memory show
  ccctl memory show --json | jq .nextSteps")]
    Show(MemoryProjectArgs),
    /// Check a memory file
    #[command(after_help = "Examples:
  ccctl memory validate .claude/session-memory.md
  ccctl memory validate - < memory.md

Exit status: 0 if the file is valid, otherwise 1.")]
    Validate {
        /// File, or - for standard input
        file: PathBuf,
    },
    /// Print what a new session gets of the memory
    #[command(after_help = "Examples:
  ccctl memory load
  ccctl memory load --json | jq '.verified[] | select(.holds | not)'

Branch, commits, servers and the current task are looked at again; what changed comes first.")]
    Load(MemoryProjectArgs),
    /// Show how old the memory is, and what changed since
    #[command(after_help = "Examples:
  ccctl memory status")]
    Status(MemoryProjectArgs),
    /// Make CLAUDE.md import the memory, so that Claude Code always has all of it
    #[command(after_help = "Examples:
  ccctl memory link
  ccctl memory link --yes

The change is shown first. Without it, a new session gets a digest of the memory, if hooks are installed.")]
    Link(MemoryLinkArgs),
}

/// The project.
#[derive(Debug, Args)]
pub(crate) struct MemoryProjectArgs {
    /// Directory of the project [default: the current directory]
    #[arg(short, long, value_name = "DIR")]
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
    /// Write the memory in this JSON file, or - for standard input, instead of looking at the project
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
}
