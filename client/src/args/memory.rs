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
replaced by ***. The file is added to .git/info/exclude, so that git status does not show it unless you track it. \
Saving runs no program of the project and sends nothing to another host. The next save replaces your edits of the file.")]
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

Times, paths, percentages, lengths and secrets are checked. Missing sections and lines that cannot be read are \
warnings; sections with other headings are ignored.

Exit status: 0 if the file is valid, otherwise 1.")]
    Validate {
        /// File, or - for standard input
        file: PathBuf,
    },
    /// Print the digest that a new Claude Code session gets
    #[command(after_help = "Examples:
  ccctl memory load
  ccctl memory load --json | jq '.verified[] | select(.holds | not)'

The branch, commits, servers, the plan and its current task are checked again, and newer test reports are looked for. \
Changes since the save are printed first.")]
    Load(MemoryProjectArgs),
    /// Show how old the memory is, and what changed since
    #[command(after_help = "Examples:
  ccctl memory status")]
    Status(MemoryProjectArgs),
    /// Import the memory in CLAUDE.md, so that Claude Code always reads the whole file
    #[command(after_help = "Examples:
  ccctl memory link
  ccctl memory link --yes

The change is shown first, and you are asked to confirm it. Without a terminal or with --json, the change is only \
shown, unless --yes is given. If there is no CLAUDE.md, it is created.

The import works without hooks and without a daemon. If hooks are installed, a session gets the digest as well.")]
    Link(MemoryLinkArgs),
}

/// The project.
#[derive(Debug, Args)]
pub(crate) struct MemoryProjectArgs {
    /// Directory of the project [default: the nearest directory, from the current one upwards, that has a memory or is the root of a git work tree; otherwise the current directory]
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
