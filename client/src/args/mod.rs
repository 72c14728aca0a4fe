//! The command line: one file per noun.

mod black_box;
mod chain;
mod coach;
mod coach_decide;
mod coach_records;
mod config;
mod conversation;
mod daemon;
mod data;
mod exec;
mod exec_records;
mod hook;
mod hot;
mod investigate;
mod job;
mod memory;
mod pattern;
mod program;
mod record;
mod run;
mod session;
mod session_create;
mod session_input;
mod session_output;
mod session_wait;
mod tape;
mod tape_options;
mod top;
mod usage;
mod value;

use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;

pub(crate) use black_box::{
    BlackBoxArgs, BlackBoxGetArgs, BlackBoxRunArgs, BlackBoxVerb, FuzzRunArgs,
};
pub(crate) use chain::{ChainRunArgs, ChainSaveArgs, ChainVerb, ParallelArgs, WatchArgs};
pub(crate) use coach::{CoachVerb, ReviewArgs};
pub(crate) use coach_decide::{
    ApproveArgs, EditArgs, GuardArgs, PromoteArgs, RejectArgs, RuleArgs,
};
pub(crate) use coach_records::{
    DetectArgs, EventsArgs, FingerprintArgs, ForgetArgs, ImportArgs, LedgerArgs, MuteArgs,
    ReportArgs,
};
pub(crate) use config::ConfigVerb;
pub(crate) use conversation::{
    ConversationExportArgs, ConversationGetArgs, ConversationListArgs, ConversationSearchArgs,
    ConversationStatsArgs, ConversationTailArgs, ConversationVerb, ScopeOfConversations,
};
pub(crate) use daemon::{DaemonVerb, LogArgs, LogsArgs, StopArgs, UpgradeArgs};
pub(crate) use data::{DataArgs, DataForgetArgs, DataVerb};
pub(crate) use exec::{ExecRunArgs, ToolList};
pub(crate) use exec_records::{ExecArgs, ExecGetArgs, ExecListArgs, ExecVerb};
pub(crate) use hook::{
    DEFAULT_EVENTS, EVENTS, HookArgs, HooksInstallArgs, HooksUninstallArgs, HooksVerb, ScopeArgs,
};
pub(crate) use hot::{names_hook, names_policy};
pub(crate) use investigate::{
    InvestigateArgs, InvestigateRunArgs, InvestigateVerb, LearnArgs, MapArgs, ProbeArgs,
    ReportCleanupArgs, ReportListArgs, TargetArgs,
};
pub(crate) use job::JobVerb;
pub(crate) use memory::{MemoryLinkArgs, MemoryProjectArgs, MemorySaveArgs, MemoryVerb};
pub(crate) use pattern::{PatternText, PatternVerb, TestArgs};
pub(crate) use program::{ProgramVerb, SaveArgs};
pub(crate) use record::RecordArgs;
pub(crate) use run::RunArgs;
pub(crate) use session::{CleanupArgs, CloseArgs, PipeArgs, SessionRunArgs, SessionVerb, Switch};
pub(crate) use session_create::{CallerArgs, CreateArgs};
pub(crate) use session_input::{SendArgs, SendInput};
pub(crate) use session_output::{AttachArgs, HistoryArgs, ReadArgs, ScreenArgs, TailArgs};
pub(crate) use session_wait::{ExpectArgs, WaitArgs};
pub(crate) use tape::{
    RootArgs, TapeExportArgs, TapeImportArgs, TapeListArgs, TapePlayArgs, TapePruneArgs,
    TapeShimArgs, TapeSvgArgs, TapeVerb, TapeVerifyArgs,
};
pub(crate) use tape_options::{NamedTapeArgs, TapeArgs};
pub(crate) use top::{Sort, TopArgs};
pub(crate) use usage::{
    explain, help, only_conversation, only_global, subcommand_like, wants_json,
};
pub(crate) use value::{SecretFrom, Size, patterns};

/// Drives any terminal program: starts it, types, waits for its output, reads its screen.
#[derive(Debug, Parser)]
#[command(
    name = "ccctl",
    version,
    arg_required_else_help = true,
    subcommand_required = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  ccctl session create --name py -- python3 -q
  ccctl session send py 'print(6 * 7)' --expect 42
  ccctl run --timeout 60 -- make test
  ccctl rec sqlite3
  ccctl demo
  ccctl help session send

Exit status: 0 done, 1 failed, 2 usage error, 3 no daemon, 4 not found, 5 refused (a limit, a \
conflict, or the wrong kind of session), 124 timed out, 125 internal error. run, rec, play, proxy \
and session run exit with the program's status; exec has exit statuses of its own.

The base directory is $CCD_HOME or, if that is not set, ~/.claude-control."
)]
pub(crate) struct Ccctl {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) noun: Noun,
}

impl Ccctl {
    /// Parses the words of the command line; the first one is the program's name.
    /// Requests for help are errors too.
    pub(crate) fn parse_words(words: &[OsString]) -> Result<Self, clap::Error> {
        match hot::parse(words) {
            Some(hot) => Ok(hot),
            None => Self::try_parse_from(usage::with_help(words.to_vec())),
        }
    }
}

/// Options of every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Use the daemon at this socket [default: $CCD_SOCKET, otherwise ccd.sock in $CCD_HOME/run, otherwise in $XDG_RUNTIME_DIR/ccd, otherwise in ~/.claude-control/run]
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) socket: Option<String>,
    // In a documentation comment, the brackets would be links.
    #[arg(
        short = 'H',
        long,
        global = true,
        value_name = "URL",
        conflicts_with = "socket",
        help = "Use the daemon of another host through ssh: ssh://[user@]host[:port][/socket] [env: CCD_HOST]"
    )]
    pub(crate) host: Option<String>,
    /// Print JSON: one document, or one per line for streaming output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Do not start a daemon if none is running [env: CCD_NO_START]
    #[arg(long, global = true)]
    pub(crate) no_start: bool,
    /// Print more detail to standard error
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

/// The noun of a command line, or a command that has none.
#[derive(Debug, Subcommand)]
pub(crate) enum Noun {
    /// Create and drive sessions: programs in their own terminals
    #[command(subcommand)]
    Session(SessionVerb),
    /// Run one program on a terminal until it exits, and exit with its status
    Run(Box<RunArgs>),
    /// Run a program and record it on a tape
    #[command(
        mut_args(tape_options::for_rec),
        after_help = "Examples:
  ccctl rec sqlite3 shop.db
  ccctl rec --tapes tests/tapes --tag login -- ./server --console
  echo '1 + 1' | ccctl rec bc

The program uses this terminal while it runs. The tape stores what you saw and typed, with secrets \
removed; hidden input, such as a password, is never stored. Exchanges (see ccctl tape --help) \
that are already on a tape are not recorded again.

Unless input and output are both terminals, the program gets pipes. Each of the first 100 lines of \
input waits until the program is ready to read; later lines and an incomplete line are passed on at \
once. Tapes recorded through pipes replay only through pipes; tapes recorded on a terminal replay \
only on a terminal.

Ctrl-\\ then d ends the program and the recording.

The exit status is the program's: 128 + N after signal N, 127 not found, 126 not executable, 124 \
timed out. It is 1 if the tape could not be written. Signals are passed on to the program; see ccctl \
run."
    )]
    Rec(Box<RecordArgs>),
    /// Replay a program from its tapes
    #[command(
        mut_args(tape_options::for_play),
        after_help = "Examples:
  ccctl play sqlite3 shop.db
  ccctl play --tapes tests/tapes --latency 0 --strict -- ./server --console
  echo '1 + 1' | ccctl play bc

The program is not started and need not be installed. An input that is on no tape is reported with \
the closest recorded one and the differences. On a terminal you can then carry on, unless $CI is set; \
otherwise ccctl exits with status 1.

If every input is on a tape, the exit status is the recorded one."
    )]
    Play(Box<RecordArgs>),
    /// Replay a program from its tapes until an input is on no tape, then continue with the real program
    #[command(
        mut_args(tape_options::for_proxy),
        after_help = "Examples:
  ccctl proxy sqlite3 shop.db
  ccctl proxy --record new -- ./server --console

At the first input that is on no tape, the program is started and receives everything typed so \
far; from then on the program itself answers."
    )]
    Proxy(Box<RecordArgs>),
    /// List, check, convert and play back tapes: recordings of programs
    #[command(
        subcommand,
        after_help = "A tape is a list of exchanges. An exchange is one input and the output that follows it, up to the \
next input; exchange 0 is the start of the program. To record and replay a program, see ccctl rec, \
play and proxy."
    )]
    Tape(Box<TapeVerb>),
    /// List live sessions (same as session list)
    #[command(after_help = "Examples:
  ccctl ls
  ccctl ls --all

The same as ccctl session list, whose help explains the columns.")]
    Ls {
        /// Include ended sessions
        #[arg(short, long)]
        all: bool,
    },
    /// Attach this terminal to a session (same as session attach)
    #[command(after_help = "Examples:
  ccctl attach py
  ccctl attach build --read-only

The same as ccctl session attach, whose help explains how to detach.")]
    Attach(AttachArgs),
    /// Show a live table of the sessions, with keys to inspect and end them
    Top(TopArgs),
    /// Recognise prompts, errors, help texts and data in output
    #[command(subcommand)]
    Pattern(PatternVerb),
    /// Save and run sequences of commands
    #[command(subcommand)]
    Chain(ChainVerb),
    /// Run commands in parallel
    Parallel(ParallelArgs),
    /// Run a program, or watch a session, and report each match in its output
    Watch(WatchArgs),
    /// Manage program configurations: how to start a program and get it ready
    #[command(subcommand)]
    Program(ProgramVerb),
    /// Turn repeated friction in Claude Code into rules, with your approval
    #[command(
        subcommand,
        after_help = "The coach records events in which something went wrong: corrections, \
repetitions, failed commands. From events that recur it makes candidates for rules. Nothing is \
written to a file before you approve it; start with ccctl coach review."
    )]
    Coach(Box<CoachVerb>),
    /// Run Claude Code on an instruction in a git work tree, and report what it changed
    #[command(after_help = "Examples:
  ccctl exec 'Add a test for parse_date' --permission-mode acceptEdits
  ccctl exec --file task.md --output-format json > /tmp/result.json
  (echo 'Review this commit:'; git show) | ccctl exec - --allowed-tools 'Read,Grep,Glob'
  ccctl exec 'Fix the build' --disallowed-tools 'Bash(rm:*),WebFetch' --timeout 1200
  ccctl exec 'Now add error handling' --continue
  ccctl exec --worktree --permission-mode acceptEdits -- '-v is ignored: fix it'
  ccctl exec list

Runs claude -p with the instruction. If the instruction is the name of a subcommand or starts with -, \
put -- before it. Nobody can answer a permission prompt, so Claude Code refuses calls that need one: allow \
them with --allowed-tools or --permission-mode.

--output-format text prints Claude's answer; json prints one document with the verdict, the diff and \
the commits, even if the run failed or could not start; stream-json prints Claude's own events as they \
arrive, then that document as a last line of type execution_result. On a terminal, progress and a \
summary are printed to standard error.

--allowed-tools and --disallowed-tools are enforced, even in sub-agents and with \
bypassPermissions. Only one run at a time works in a work tree; others wait. With -v, the member logs of the \
result has the daemon's and Claude Code's debug output.

Ctrl-C or SIGTERM cancels the run; a second one exits without waiting for the run to end. If ccctl exits for \
another reason, the run continues; ccctl exec list shows it.

Exit status: 0 success, 1 failed or cancelled, 2 usage error, 3 claude not found, 4 not a git work tree, git \
failed, or a stash could not be restored, 5 uncommitted changes, 6 other runs did not release the work tree within \
--lock-timeout, 7 --timeout or --stall-timeout reached, 8 the run or conversation does not exist, or the \
conversation cannot be resumed, 99 no daemon or internal error.")]
    Exec(Box<ExecArgs>),
    /// List, search, show, follow and export Claude Code conversations
    #[command(
        subcommand,
        override_usage = "ccctl conversation [OPTIONS] [COMMAND]",
        after_help = "Examples:
  ccctl conversation
  ccctl conversation list --project .
  ccctl conversation search flaky test --status error
  ccctl conversation show 5fc07b19
  ccctl conversation stats --by day
  ccctl conversation export 5fc07b19 --markdown conversation.md

On a terminal, ccctl conversation without a command lets you choose a conversation from a list with a preview.

CONVERSATION is a session id, a unique prefix of one (at least 4 characters), or a file: a transcript, or saved output \
of claude -p --output-format stream-json --verbose."
    )]
    Conversation(Box<ConversationVerb>),
    /// Save the state of a project for the next Claude Code session
    #[command(
        subcommand,
        after_help = "Examples:
  ccctl memory save
  ccctl memory show
  ccctl memory status"
    )]
    Memory(MemoryVerb),
    /// Find out what a program offers: its help, commands, prompts, states and ways to end it
    Investigate(Box<InvestigateArgs>),
    /// Start a program briefly and report whether it waits for input, and its prompt, version and help options
    Probe(ProbeArgs),
    /// Use a program in this terminal and make a report of what you did
    Learn(LearnArgs),
    /// Show the states of a program and the commands that lead from one to another
    Map(MapArgs),
    /// Test how a program starts, helps, exits, uses resources and handles unexpected inputs
    Test(Box<BlackBoxArgs>),
    /// Look for inputs that break a program (same as test --types fuzz)
    #[command(after_help = "Examples:
  ccctl fuzz ./server --console
  ccctl fuzz --seed 7 --inputs 5000 ./server

The same as ccctl test --types fuzz. See ccctl test --help for exit status and reports.")]
    Fuzz(Box<FuzzRunArgs>),
    /// List, follow and cancel background jobs
    #[command(subcommand)]
    Job(JobVerb),
    /// Show and check the configuration
    #[command(subcommand)]
    Config(ConfigVerb),
    /// Start, stop and inspect the daemon
    #[command(subcommand)]
    Daemon(DaemonVerb),
    /// Take the payload of a Claude Code hook from standard input; Claude Code calls this
    #[command(after_help = "Examples:
  ccctl hooks install
  echo '{\"hook_event_name\": \"Stop\", \"session_id\": \"s\"}' | ccctl hook

The payload is handed to the daemon of this host. If none takes it in time, it is stored in the spool, \
and the daemon takes it later. Only two things are printed: the digest of the session memory when a \
session starts, and the reason if a guard refuses a tool call. The exit status is always 0, so your \
work with Claude Code is never disturbed. No daemon is started; $CCD_HOST and --host are ignored.

With --policy, a call that cannot be judged is refused: the exit status is then 2.")]
    Hook(HookArgs),
    /// Install ccd's hooks in Claude Code, and check that they work
    #[command(subcommand)]
    Hooks(HooksVerb),
    /// List what ccd keeps about you and where, and delete it
    Data(DataArgs),
    /// Check the daemon, its service, files and disk, system limits, Claude Code and ccd's hooks
    #[command(after_help = "Examples:
  ccctl doctor
  ccctl doctor --json | jq -r '.checks[] | select(.state != \"ok\") | .text'

Prints one line per check: failures (✗) first, then warnings (!), then passed checks (✓). Failures and warnings say what to do. doctor checks this host, even with --host. It starts a daemon of its own, runs a program on it, and removes \
both; --no-start prevents that. It changes nothing else and does not run claude. It checks only the header and the size of databases; ccctl daemon check reads them completely.

Exit status: 1 if a check failed, otherwise 0.")]
    Doctor,
    /// Run a demo with its own temporary daemon
    #[command(after_help = "Examples:
  ccctl demo")]
    Demo,
    /// Call a method of the daemon's protocol and print the reply
    #[command(after_help = "Examples:
  ccctl call daemon.status
  ccctl call session.list '{\"all\": true}'

docs/PROTOCOL.md lists all methods; so does ccctl call rpc.discover.")]
    Call(CallArgs),
    /// Serve MCP on standard input and output: give an agent terminals, conversation search and session memory
    #[command(after_help = "Examples:
  claude mcp add --scope user ccd -- ccctl mcp
  ccctl hooks plugin DIR     the plugin for Claude Code includes this server
  ccctl mcp < requests.jsonl

An MCP client starts this program; it is not meant for interactive use. Programs that the agent starts get the \
directory and the environment of this process. Starts a daemon if none is running, unless --no-start is given. The configuration keys \
mcp.programs, mcp.sessions and mcp.read_only limit what agents may do.")]
    Mcp,
    /// Connect standard input and output to the daemon; --host runs this on the other host
    #[command(after_help = "Examples:
  ssh build ccctl dial
  ccctl --host ssh://build session list

Everything that is read is sent to the daemon's socket, and everything that the daemon sends is \
written, until either ends. A daemon is started if none is running, unless --no-start is given.")]
    Dial,
    /// Print a shell completion script (it completes session names and job ids too)
    #[command(after_help = "Examples:
  source <(ccctl completions bash)
  mkdir -p ~/.local/share/bash-completion/completions
  ccctl completions bash > ~/.local/share/bash-completion/completions/ccctl
  ccctl completions zsh > ~/.zfunc/_ccctl
  ccctl completions fish > ~/.config/fish/completions/ccctl.fish")]
    Completions {
        /// Shell to print the script for
        shell: clap_complete::Shell,
    },
    /// Print the completions of one word of a command line; completion scripts call this
    #[command(
        hide = true,
        after_help = "Examples:
  ccctl complete 3 ccctl session send ''"
    )]
    Complete(CompleteArgs),
    /// Print the man page, or write the pages of all commands
    #[command(after_help = "Examples:
  ccctl man | man -l -
  ccctl man --dir ~/.local/share/man/man1")]
    Man {
        /// Write all pages to this directory
        #[arg(long, value_name = "DIR")]
        dir: Option<std::path::PathBuf>,
    },
    /// Print the version of ccctl, and of the daemon if one is running
    #[command(after_help = "Examples:
  ccctl version --json")]
    Version,
}

/// Arguments of `call`.
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// Method name, such as session.list
    pub(crate) method: String,
    /// Parameters as a JSON object
    #[arg(default_value = "{}", value_name = "JSON")]
    pub(crate) params: String,
}

/// Arguments of `complete`.
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// Index of the word that the cursor is in, from 0
    pub(crate) index: usize,
    /// The words of the command line, starting with the program name
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_consistent() {
        Ccctl::command().debug_assert();
    }

    #[test]
    fn every_verb_has_an_example() {
        fn visit(command: &clap::Command, without: &mut Vec<String>) {
            let has_verbs = command.get_subcommands().next().is_some();
            let help = command.get_after_help().map(ToString::to_string);
            if !has_verbs && !help.is_some_and(|help| help.contains("ccctl ")) {
                without.push(command.get_name().to_owned());
            }
            for verb in command.get_subcommands() {
                visit(verb, without);
            }
        }
        let mut without = Vec::new();
        visit(&Ccctl::command(), &mut without);
        assert!(without.is_empty(), "without an example: {without:?}");
    }

    #[test]
    fn global_options_may_be_anywhere_before_the_program() {
        for line in [
            "ccctl --json session list",
            "ccctl session --json list",
            "ccctl session list --json",
        ] {
            let parsed = Ccctl::try_parse_from(line.split(' ')).unwrap();
            assert!(parsed.global.json, "{line}");
        }
    }
}
