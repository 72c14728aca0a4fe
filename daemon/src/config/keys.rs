//! Every key of the configuration.

use super::accepts::Accepts::{
    self, Boolean, BooleanOrNull, FileOrNull, Integer, Latency, List, OneOf, OptionalPath, Path,
    Percent, Program, Seconds, Tag, TapeName,
};
use super::list_of::ListOf;
use super::setting::{LogDestination, LogFormat, LogLevel, Setting, TerminalNotice};
use ccd_agents::ProgramEntry;
use ccd_mcp::Reach;
use ccd_tape::settings::ReplayDefaults;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use ccd_conversation::ConversationSettings as ConversationKeys;
/// What agents may do that speak MCP.
pub(crate) use ccd_mcp::Policy as McpKeys;

/// A key of the configuration file.
pub(super) struct Key {
    /// Dotted if it is in an object: `limits.rows`.
    pub(super) name: &'static str,
    /// The part that uses it.
    pub(super) category: &'static str,
    pub(super) accepts: Accepts,
    /// What a user notices, in one line.
    pub(super) effect: &'static str,
    get: fn(&Config) -> Value,
    set: fn(&mut Config, &Value) -> bool,
}

impl Key {
    /// Returns the key with this dotted name.
    pub(super) fn named(name: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// Returns its value in `config` as in the file.
    pub(super) fn get(&self, config: &Config) -> Value {
        (self.get)(config)
    }

    /// Sets `value` in `config`; returns false, without a change, if the key does not accept it.
    #[must_use]
    pub(super) fn set(&self, config: &mut Config, value: &Value) -> bool {
        self.accepts.allows(value) && (self.set)(config, value)
    }
}

/// Returns whether `name` is an object that contains keys.
pub(super) fn is_group(name: &str) -> bool {
    KEYS.iter()
        .filter_map(|key| key.name.rsplit_once('.'))
        .any(|(group, _)| group == name)
}

const YEAR_S: u64 = 365 * 86_400;
const MAX_DAYS: u64 = 36_500;

/// Declares the configuration and [`KEYS`], which describes it. A key has a type, a default, a category, the values that it
/// accepts, and what a user notices. Keys of a group have its name as their category. A group with a default is a type of
/// the crate that uses it.
macro_rules! keys {
    (@struct [$of_crate:tt] $struct:ident $keys:tt) => {};
    (@struct [] $struct:ident { $($key:ident: $type:ty = $default:expr, $effect:literal,)+ }) => {
        #[derive(Debug, Clone, PartialEq)]
        pub(crate) struct $struct {
            $(#[doc = $effect] pub(crate) $key: $type,)+
        }

        impl Default for $struct {
            fn default() -> Self {
                Self { $($key: $default,)+ }
            }
        }
    };
    (@default [$of_crate:tt] $struct:ident) => { $of_crate };
    (@default [] $struct:ident) => { $struct::default() };
    (@key $($field:ident).+, $category:expr, $accepts:expr, $effect:literal) => {
        Key {
            name: stringify!($($field).+),
            category: $category,
            accepts: $accepts,
            effect: $effect,
            get: |config| config.$($field).+.to_json(),
            set: |config, value| {
                let value = Setting::from_json(value);
                value.map(|value| config.$($field).+ = value).is_some()
            },
        }
    };
    (
        struct $config:ident {
            $($key:ident: $type:ty = $default:expr, $category:literal, $accepts:expr, $effect:literal;)+
        }
        $($group:ident: $struct:ident $(= $of_crate:tt)? {
            $($member:ident $(: $member_type:ty = $member_default:expr)?, $member_accepts:expr, $member_effect:literal;)+
        })+
    ) => {
        keys!(@struct [] $config {
            $($key: $type = $default, $effect,)+
            $($group: $struct = keys!(@default [$($of_crate)?] $struct), "The keys of a group.",)+
        });
        $(keys!(@struct [$($of_crate)?] $struct {
            $($member $(: $member_type = $member_default)?, $member_effect,)+
        });)+

        /// Every key, in the order of listings and of the example.
        pub(super) static KEYS: &[Key] = &[
            $(keys!(@key $key, $category, $accepts, $effect),)+
            $($(keys!(@key $group.$member, stringify!($group), $member_accepts, $member_effect),)+)+
        ];
    };
}

// A limit of `None` is 0 in the file: no limit.
keys! {
    struct Config {
        max_sessions: Option<usize> = Some(20), "session", Integer(0, 4096),
            "Maximum number of live sessions; a further one is refused with max_sessions. 0: no limit.";
        session_timeout: Option<Duration> = Some(Duration::from_secs(300)), "session", Seconds(YEAR_S),
            "Close a session after this many seconds without input or output (reason idle), unless it is persistent. 0: never.";
        max_session_runtime: Option<Duration> = Some(Duration::from_secs(3600)), "session", Seconds(YEAR_S),
            "Maximum run time in seconds: of a session that is not persistent (reason runtime), and of a program started by run, chain, parallel or watch without its own timeout. 0: no limit.";
        max_output_size: Option<u64> = Some(100 << 20), "session", Integer(0, 1 << 50),
            "Maximum bytes in a session's log. At the limit the session is closed (reason output_limit); a persistent one drops its oldest output instead. 0: no limit.";
        output_limit: usize = 10_000, "session", Integer(1, 10_000_000),
            "Lines of output that a session keeps in memory; older lines are read back from its log.";
        default_timeout: Duration = Duration::from_secs(30), "session", Seconds(YEAR_S),
            "Seconds that expect, wait and run wait if a request does not set a timeout, and that a command of a job waits for a free session. 0: check once.";
        auto_cleanup: bool = true, "session", Boolean,
            "Remove old data at the start and every hour: ended sessions according to keep_log_days, ended_session_ttl and ended_session_limit, and old jobs, logs and records of hooks and runs. false: keep all of it, beyond every limit, until session.cleanup (ended sessions) or daemon.check (whatever is past its time).";
        log_rotation_size: u64 = 10 << 20, "session", Integer(4096, 1 << 40),
            "Size in bytes at which a session's output.log is rotated.";
        keep_log_days: u32 = 7, "session", Integer(0, MAX_DAYS),
            "Days to keep the logs and database rows of ended sessions. 0: no longer than ended_session_ttl.";
        ended_session_ttl: Duration = Duration::from_secs(86_400), "session", Seconds(100 * YEAR_S),
            "Seconds to keep an ended session in the list. 0: do not list it.";
        ended_session_limit: Option<usize> = Some(10_000), "session", Integer(0, 1_000_000),
            "Maximum number of ended sessions; beyond it, the oldest are removed with their logs and history, a hundredth of the limit at a time. 0: no limit.";
        log_level: LogLevel = LogLevel::Info, "logging", OneOf(&["error", "warn", "info", "debug", "trace"]),
            "Lowest severity written to the daemon's own log.";
        pipe_dir: PathBuf = PathBuf::from("/tmp/claudecontrol"), "session", Path,
            "Directory for named pipes, created with mode 0700; if it is not owned exclusively by the daemon's user, /tmp/claudecontrol-UID is used, or else pipes/ beside the socket.";
        allow_root_peer: bool = false, "daemon", Boolean,
            "Serve root as well as the user that the daemon runs as.";
        safe_mode: bool = true, "investigation", Boolean,
            "Refuse dangerous commands, such as those that delete, before an investigation sends them to a program. false: send them, unless the request says otherwise.";
    }

    limits: ClientLimits {
        connections: usize = 1024, Integer(1, 65_536),
            "Maximum number of open connections; a further one gets limit_reached and is closed.";
        in_flight: usize = 256, Integer(1, 65_536),
            "Maximum number of unanswered requests on one connection; a further one gets limit_reached.";
        batch: usize = 100, Integer(1, 10_000),
            "Maximum number of requests in one batch; a longer batch is rejected as a whole.";
        frame_bytes: usize = 16 << 20, Integer(4096, 1 << 30),
            "Maximum bytes in one message to the daemon; a longer one gets an error, and the connection stays open.";
        reply_bytes: usize = 64 << 20, Integer(4096, 1 << 30),
            "Maximum bytes in one reply; a longer one is replaced with the error reply_too_large.";
        rows: u16 = 1000, Integer(1, 10_000),
            "Maximum number of rows of a session's terminal.";
        cols: u16 = 1000, Integer(1, 10_000),
            "Maximum number of columns of a session's terminal.";
    }

    logging: Logging {
        format: LogFormat = LogFormat::Text, OneOf(&["text", "json"]),
            "Format of the daemon's log: human-readable lines, or one JSON object per line.";
        destination: LogDestination = LogDestination::File, OneOf(&["file", "journal", "stderr"]),
            "Destination of the daemon's log: a file in logs/, the system's journal, or standard error.";
        keep_days: u32 = 7, Integer(1, MAX_DAYS),
            "Days to keep the files of the daemon's log.";
        max_file_bytes: u64 = 16 << 20, Integer(65_536, 1 << 40),
            "Size at which a day's file of the daemon's log ends; further lines of that day are dropped.";
    }

    replay: ReplayDefaults = (ReplayDefaults::default()) {
        tapes_path, OptionalPath,
            "Directory of tapes, if a request names none. Empty: tapes in the base directory.";
        record, OneOf(&["new", "overwrite", "disabled"]),
            "What a session with tapes records. new: exchanges that are on no tape; overwrite: exchanges that already are, in place; disabled: nothing.";
        fallback, OneOf(&["not_found", "proxy"]),
            "What to do with an input that is on no tape. not_found: fail with tape_miss; proxy: ask the real program.";
        latency, Latency,
            "Pause before each chunk of a tape: as the tape says, as recorded, N milliseconds, or a random number of milliseconds between N and M.";
        error_rate, Percent,
            "Percentage of replayed exchanges that are cut short or end with a different exit status, to test callers.";
        summary, Boolean,
            "List new and unused tapes at the end of a session with tapes.";
        silent, Boolean,
            "Suppress ccctl's summary and notices about tapes on standard error; errors are still printed.";
        debug, Boolean,
            "Log matching and replay decisions, normalisation steps and uses of decorators, without what was typed or printed.";
        allow_env, List(ListOf::Variables),
            "Environment variables that are recorded and compared; no others are stored on a tape.";
        ignore_env, List(ListOf::Variables),
            "Variables of allow_env that are recorded but not compared.";
        ignore_args, List(ListOf::Arguments),
            "Arguments that are not compared.";
        ignore_stdin, Boolean,
            "Ignore what was typed: exchanges match by their position alone.";
        match_cwd, Boolean,
            "Replay a tape only in the working directory that it was recorded in.";
        strict, Boolean,
            "Replay exact matches only: never fall back to another exchange with the same prompt and input.";
        redact, Boolean,
            "Remove secrets from tapes; false keeps them and marks the tape accordingly.";
        redact_rules, List(ListOf::Rules),
            "Additional patterns for secrets, applied wherever secrets are redacted: the first group of each match is masked or, without a group, the whole match.";
        seed, Integer(0, 1 << 53),
            "Random seed for injected errors and for a random latency. 0: each tape's own seed.";
        decorators, List(ListOf::Decorators),
            "Changes to recorded input, output or whole tapes before they are written: regular expressions with their replacements, or filter programs.";
        name, TapeName,
            "Template of a new tape's path in its directory, without .json5; {verb} is the first argument.";
        tag, Tag,
            "Label that is stored on a new tape and used in its name. Empty: none.";
        retention_days, Integer(1, MAX_DAYS),
            "Days to keep the index of an unused directory of tapes and the replay counts of deleted tapes. Tapes are never removed.";
    }

    hooks: Hooks {
        enabled: bool = true, Boolean,
            "Keep the payloads of Claude Code's hooks and look for friction in them. false: they are accepted and thrown away.";
        timeout_ms: u64 = 100, Integer(20, 1000),
            "Milliseconds that a hook may take in all; ccctl hooks install writes a value other than 100 into the command.";
        spool_bytes: u64 = 64 << 20, Integer(1 << 20, 1 << 30),
            "Maximum bytes in spool/, where ccctl hook keeps payloads that no daemon takes; ccctl hooks install writes a value other than 67108864 into the command.";
        keep_days: u32 = 30, Integer(1, MAX_DAYS),
            "Days to keep the payloads of hooks, without their secrets.";
    }

    coach: CoachKeys {
        record: Option<bool> = None, BooleanOrNull,
            "Whether the coach records. null: after ccctl hooks install or the first hook. true: always. false: never, including coach.session_events.";
        session_events: bool = false, Boolean,
            "Record friction in ccd's own sessions and runs as well: failed commands, timeouts of expect, the same input three times.";
        keep_event_days: u32 = 365, Integer(1, MAX_DAYS),
            "Days to keep events in the coach's events.sqlite.";
        guards: bool = true, Boolean,
            "Enforce guards: refuse tool calls that a rule forbids. false: guards stay in the ledger but refuse nothing.";
    }

    exec: ExecKeys {
        claude: String = "claude".into(), Program,
            "Program that ccctl exec runs as Claude Code: a name on the caller's PATH, or an absolute path.";
        timeout: u32 = 600, Integer(1, 3600),
            "Time limit of a run in seconds, unless the request has one.";
        lock_timeout: u32 = 300, Integer(0, 86_400),
            "Seconds that a run waits for other runs in its work tree, unless the request has a limit.";
        parallel: usize = 4, Integer(1, 64),
            "Maximum number of runs that work at once, over all work trees; further runs wait.";
        stall_s: u32 = 120, Integer(1, 3600),
            "Seconds without output after which a run is reported as stalled.";
        grace_s: u32 = 10, Integer(0, 3600),
            "Seconds that a run may take to exit after its result; then it is ended.";
        session_days: u32 = 7, Integer(1, MAX_DAYS),
            "Days after its last run until a conversation expires and can no longer be resumed; the daily cleanup removes it.";
        keep_days: u32 = 90, Integer(1, MAX_DAYS),
            "Days to keep the results of runs.";
        worktree_setup: bool = false, Boolean,
            "Run the repository's hooks and filters (post-checkout, Git LFS) when --worktree makes a work tree.";
    }

    agents: AgentKeys {
        programs: Vec<ProgramEntry> = Vec::new(), List(ListOf::AgentPrograms),
            "Adds agent programs, or changes the marks of known ones. Each entry has name and, optionally, executables (default: name) and two regular expressions for one line of the screen: works (shown while it works) and asks (shown with a question).";
        hosts: Vec<String> = Vec::new(), List(ListOf::Hosts),
            "Other hosts, written as for ccctl --host, whose agents ccctl agents also lists.";
        notify: Vec<String> = Vec::new(), List(ListOf::Words),
            "Program and arguments to run when an agent asks, is stuck or has failed, or when a turn or run that took 10 s or more ends. It gets CCD_AGENT_NAME, CCD_AGENT_STATE and CCD_AGENT_TEXT, and the record as JSON on standard input. Not if someone is attached to the agent and typed to it within the last minute.";
        notify_desktop: bool = false, Boolean,
            "Show a desktop notification in the same cases, with notify-send or osascript.";
        notify_terminals: TerminalNotice = TerminalNotice::None, OneOf(&["none", "osc9", "osc99", "osc777"]),
            "Write a notification to attached terminals in the same cases: the escape sequence that your terminal supports.";
        stuck_after_s: u32 = 300, Integer(1, 86_400),
            "Seconds without a hook, output, a new line in its transcript, or more than a little processor time after which an agent in a turn is stuck.";
    }

    conversations: ConversationKeys = (ConversationKeys {
        roots: Vec::new(),
        watch: true,
        archive: false,
        prices: None,
    }) {
        roots, List(ListOf::Folders),
            "More directories with transcripts, in addition to Claude Code's own: each a directory of Claude Code (such as a copied ~/.claude), a directory of project directories, or one project directory.";
        watch, Boolean,
            "Index transcripts in the background as soon as they change. false: index only when list, search or stats runs.";
        archive, Boolean,
            "Keep transcripts that Claude Code deletes, in archive/ in the base directory. Setting it back to false deletes nothing.";
        prices, FileOrNull,
            "Price table that replaces the built-in one (format: docs/CONVERSATIONS.md). null: the built-in table.";
    }

    memory: MemoryKeys {
        load: bool = true, Boolean,
            "Give each Claude Code session that starts in a project with a session memory a digest of it, by the SessionStart hook. Run ccctl hooks install after you change it: false adds --no-memory to the hook's command.";
        save_on: Vec<String> = Vec::new(), List(ListOf::SaveMoments),
            "When to save the session memory of a project without being asked: before Claude Code compacts a conversation (pre_compact), when a session ends (session_end).";
        digest_chars: usize = ccd_memory::DIGEST_CHARS, Integer(500, 9500),
            "Maximum characters of the digest; Claude Code passes on at most 10,000 characters of a hook's answer.";
    }

    investigation: InvestigationKeys {
        max_depth: u32 = 5, Integer(1, 20),
            "Longest path of commands that an investigation follows from the start of a program to one of its states.";
        timeout: u32 = 120, Integer(1, 86_400),
            "Time limit of an investigation in seconds; its report then has what was found so far.";
        step_timeout: u32 = 5, Integer(1, 3600),
            "Seconds that a program under investigation or test may take to print its help or to answer an input; after that it hangs.";
        sandbox: bool = false, Boolean,
            "Run programs under investigation under bubblewrap (bwrap), which must be installed.";
    }

    testing: TestingKeys {
        memory_mb: u32 = 500, Integer(1, 1 << 20),
            "Peak memory in MB of all processes of a program above which the test resource fails.";
        cpu_percent: u32 = 80, Integer(1, 100_000),
            "Processor time of all processes of a program, in percent of one processor, above which the test resource fails.";
        copies: u32 = 3, Integer(2, 32),
            "Number of copies of a program that the test concurrent runs at the same time.";
        fuzz_inputs: u32 = 1000, Integer(1, 10_000_000),
            "Number of random inputs that the test fuzz gives to a program.";
        timeout: u32 = 120, Integer(1, 86_400),
            "Time limit of a run of tests in seconds; its report then has the results so far.";
    }

    mcp: McpKeys = (McpKeys {
        programs: vec!["*".to_owned()],
        sessions: Reach::All,
        read_only: false,
    }) {
        programs, List(ListOf::Programs),
            "Programs that agents may start through ccctl mcp; a name does not allow a path. A guard against mistakes: an allowed shell can start anything.";
        sessions, OneOf(&["own", "all"]),
            "Sessions that agents see through ccctl mcp: own (those that an agent of the same name has started) or all.";
        read_only, Boolean,
            "Offer agents only those tools of ccctl mcp that change nothing.";
    }
}
