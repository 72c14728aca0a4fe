//! `ccctl hook`, `ccctl hooks` and `ccctl doctor`.

use ccd_protocol::hook::spool::LIMIT_BYTES;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

/// How long `ccctl hook` may take, unless its options say something else.
const TIMEOUT_MS: u64 = 100;

/// The allowed range of that time.
const MIN_TIMEOUT_MS: u64 = 20;
const MAX_TIMEOUT_MS: u64 = 1000;

/// Events of Claude Code, without WorktreeCreate: a hook for it replaces what Claude Code does by itself.
pub(crate) const EVENTS: [&str; 32] = [
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionDenied",
    "PermissionRequest",
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStop",
    "SessionStart",
    "SessionEnd",
    "PreCompact",
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
    "MessageDisplay",
    "PostCompact",
    "PostModelSwitch",
    "PreModelSwitch",
    "Setup",
    "SubagentStart",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
    "WorktreeRemove",
];

/// The events that the daemon makes use of.
pub(crate) const DEFAULT_EVENTS: &[&str] = EVENTS.split_at(14).0;

/// Arguments of `hook`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct HookArgs {
    /// Time limit if the daemon does not reply, in milliseconds (20 to 1000) [default: 100]
    #[arg(long, value_name = "MS", value_parser = super::value::count)]
    pub(crate) timeout_ms: Option<u64>,
    /// Maximum size of spool/, which keeps payloads until a daemon takes them [default: 67108864]
    #[arg(long, value_name = "BYTES", value_parser = super::value::count)]
    pub(crate) spool_bytes: Option<u64>,
    /// Print nothing of the session memory if no daemon answers when a session starts
    #[arg(long)]
    pub(crate) no_memory: bool,
    /// Judge a PreToolUse payload by the tool policy in FILE, without the daemon; runs of ccctl exec use this
    #[arg(long, value_name = "FILE", conflicts_with_all = ["timeout_ms", "spool_bytes", "no_memory"])]
    pub(crate) policy: Option<PathBuf>,
}

impl HookArgs {
    /// The most bytes that may wait in the spool.
    pub(crate) fn spool_bytes(&self) -> u64 {
        self.spool_bytes.unwrap_or(LIMIT_BYTES)
    }

    /// How long the hook may take. A value out of range is no reason to fail: a hook never fails.
    pub(crate) fn timeout(&self) -> Duration {
        let ms = self.timeout_ms.unwrap_or(TIMEOUT_MS);
        Duration::from_millis(ms.clamp(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS))
    }
}

/// Commands for Claude Code's hooks.
#[derive(Debug, Subcommand)]
pub(crate) enum HooksVerb {
    /// Add ccctl hook to Claude Code's settings
    Install(HooksInstallArgs),
    /// Remove ccctl hook from Claude Code's settings
    Uninstall(HooksUninstallArgs),
    /// Show whether each hook is installed, when it last ran and how long it took
    #[command(
        visible_aliases = ["get", "list"]
    )]
    Status,
    /// Write a Claude Code plugin to a directory: ccd's hooks, the MCP server, a skill and slash commands
    Plugin {
        /// Directory to write to; it is created if necessary
        #[arg(value_hint = ValueHint::DirPath)]
        dir: PathBuf,
    },
}

/// The settings file of Claude Code to change.
#[derive(Debug, Clone, Args)]
pub(crate) struct ScopeArgs {
    /// Change your own settings: ~/.claude/settings.json, or settings.json in $CLAUDE_CONFIG_DIR; this is the default
    #[arg(long, conflicts_with = "project")]
    pub(crate) user: bool,
    /// Change the project's settings: .claude/settings.json in the current directory
    #[arg(long)]
    pub(crate) project: bool,
    /// Print the changes as a diff, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

/// Arguments of `hooks install`.
#[derive(Debug, Args)]
pub(crate) struct HooksInstallArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Add only the hooks for these events, separated by commas [default: the 14 that the coach uses]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = PossibleValuesParser::new(EVENTS), hide_possible_values = true, ignore_case = true)]
    pub(crate) events: Vec<String>,
    /// Time limit of a hook if the daemon does not reply, in milliseconds (20 to 1000) [default: hooks.timeout_ms of a running daemon, otherwise 100]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(MIN_TIMEOUT_MS..=MAX_TIMEOUT_MS))]
    pub(crate) timeout_ms: Option<u64>,
}

/// Arguments of `hooks uninstall`.
#[derive(Debug, Args)]
pub(crate) struct HooksUninstallArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

impl HooksInstallArgs {
    /// The events to install, in the spelling of Claude Code.
    pub(crate) fn events(&self) -> Vec<&'static str> {
        if self.events.is_empty() {
            return DEFAULT_EVENTS.to_vec();
        }
        let is_named = |event: &&&str| {
            self.events
                .iter()
                .any(|name| name.eq_ignore_ascii_case(event))
        };
        EVENTS.iter().filter(is_named).copied().collect()
    }

    /// The options to write into the command: the given time limit or the daemon's, and the daemon's limit of the spool,
    /// unless they are the defaults.
    pub(crate) fn hook_args(&self, of_daemon: &HookArgs) -> HookArgs {
        let ms = self.timeout_ms.or(of_daemon.timeout_ms);
        HookArgs {
            timeout_ms: ms.filter(|ms| *ms != TIMEOUT_MS),
            spool_bytes: of_daemon.spool_bytes.filter(|bytes| *bytes != LIMIT_BYTES),
            no_memory: of_daemon.no_memory,
            policy: None,
        }
    }
}
