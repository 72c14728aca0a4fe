//! `ccctl memory`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Commands for session memory.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryVerb {
    /// Collect the state of a project and write it to .claude/session-memory.md
    #[command(after_help = "Examples:
  ccctl memory save
  ccctl memory save --project ~/src/app
  ccctl memory show --json > memory.json; ccctl memory save --from memory.json

The file lists finished tasks, failing tests, running servers, blockers and next steps. Recognised secrets are \
replaced by ***. The file is listed in .git/info/exclude, so that git does not see it unless you track it. Saving \
starts no program and sends nothing to another host.")]
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
    /// Print the digest that a new Claude Code session gets
    #[command(after_help = "Examples:
  ccctl memory load
  ccctl memory load --json | jq '.verified[] | select(.holds | not)'

Branch, commits, servers and the current task are checked again; what has changed since the save comes first.")]
    Load(MemoryProjectArgs),
    /// Show how old the memory is, and what changed since
    #[command(after_help = "Examples:
  ccctl memory status")]
    Status(MemoryProjectArgs),
    /// Import the memory in CLAUDE.md, so that Claude Code always reads the whole file
    #[command(after_help = "Examples:
  ccctl memory link
  ccctl memory link --yes

The change is shown first, and you are asked to confirm it, unless --yes is given. Without the import, a new Claude \
Code session gets only a digest of the memory, and only if hooks are installed.")]
    Link(MemoryLinkArgs),
}

/// The project.
#[derive(Debug, Args)]
pub(crate) struct MemoryProjectArgs {
    /// Directory of the project [default: the nearest directory, from the current one upwards, that has a memory or is a git repository; otherwise the current directory]
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
    /// Write the memory from this JSON file (- for standard input) instead of collecting it from the project
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
}
