use super::list_of::{ListOf, is_program};
use super::setting::{Setting, whole};
use super::values::Config;
use ccd_tape::settings::{MAX_LATENCY_MS, MAX_TAG_BYTES};
use serde_json::Value;
use std::fmt;

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

/// The values that a key accepts.
pub(super) enum Accepts {
    Boolean,
    /// True, false or null.
    BooleanOrNull,
    /// Whole numbers from the first to the second.
    Integer(u64, u64),
    /// Seconds from 0 to this number, with fractions down to a millisecond.
    Seconds(u64),
    OneOf(&'static [&'static str]),
    /// An absolute path.
    Path,
    /// An absolute path, or an empty text for the default.
    OptionalPath,
    /// An absolute path, or null.
    FileOrNull,
    /// From 0 to 100, with fractions.
    Percent,
    /// The latency of replays.
    Latency,
    /// The template for the name of a new tape.
    TapeName,
    /// The name of a program, or an absolute path.
    Program,
    /// The tag of a new tape, or an empty text for none.
    Tag,
    List(ListOf),
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

impl Accepts {
    /// Returns the name of the type, for lists.
    pub(super) fn type_name(&self) -> &'static str {
        self.about().0
    }

    /// Returns a short description of the allowed values, for lists.
    pub(super) fn range(&self) -> String {
        self.about().2
    }

    /// Returns the name of the type, what precedes the allowed values in a message, and these.
    fn about(&self) -> (&'static str, &'static str, String) {
        let (type_name, before, range) = match self {
            Accepts::Boolean => ("boolean", "", "true, false"),
            Accepts::BooleanOrNull => ("boolean or null", "", "true, false, null"),
            Accepts::Path => ("string", "", "an absolute path"),
            Accepts::OptionalPath => ("string", "", "an absolute path, or empty"),
            Accepts::FileOrNull => ("string or null", "", "an absolute path, or null"),
            Accepts::Program => ("string", "", "the name of a program, or an absolute path"),
            Accepts::Percent => ("number", "a number from ", "0 to 100"),
            Accepts::TapeName => (
                "string",
                "",
                "a relative path; {program}, {tag}, {verb}, {time} and {random} are filled in",
            ),
            Accepts::Integer(min, max) => {
                return ("integer", "a whole number from ", format!("{min} to {max}"));
            }
            Accepts::Seconds(max) => {
                return (
                    "seconds",
                    "a number of seconds from ",
                    format!("0 to {max}"),
                );
            }
            Accepts::OneOf(words) => return ("string", "one of ", words.join(", ")),
            Accepts::Latency => {
                let forms = "tape, recorded, N or N-M in milliseconds up to";
                return ("string", "one of ", format!("{forms} {MAX_LATENCY_MS}"));
            }
            Accepts::Tag => {
                let rest = "bytes without control characters, or empty";
                return ("string", "", format!("at most {MAX_TAG_BYTES} {rest}"));
            }
            Accepts::List(entries) => return ("list", "a list of ", entries.range()),
        };
        (type_name, before, range.to_owned())
    }

    /// Returns the invalid entry of a list, and what it must be.
    pub(super) fn wrong_entry(&self, value: &Value) -> Option<(usize, String)> {
        match (self, value) {
            (Accepts::List(list), Value::Array(entries)) => list.first_wrong(entries),
            _ => None,
        }
    }

    /// Returns whether a value of the right type is in the range. For the other keys, the type itself decides.
    fn allows(&self, value: &Value) -> bool {
        let is_up_to =
            |max: f64| (value.as_f64()).is_some_and(|number| (0.0..=max).contains(&number));
        match self {
            Accepts::Integer(min, max) => {
                whole(value).is_some_and(|number| (*min..=*max).contains(&number))
            }
            Accepts::Seconds(max) => is_up_to(*max as f64),
            Accepts::Percent => is_up_to(100.0),
            Accepts::Program => value.as_str().is_some_and(is_program),
            Accepts::List(list) => value.as_array().is_some_and(|entries| {
                entries.len() <= list.max() && list.first_wrong(entries).is_none()
            }),
            _ => true,
        }
    }
}

/// What an invalid value should have been: "a whole number from 1 to 1000".
impl fmt::Display for Accepts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.about()) {
            (Accepts::Boolean, _) => f.write_str("true or false"),
            (Accepts::BooleanOrNull, _) => f.write_str("true, false or null"),
            (_, (_, before, range)) => write!(f, "{before}{range}"),
        }
    }
}

const YEAR_S: u64 = 365 * 86_400;
const MAX_DAYS: u64 = 36_500;

macro_rules! key {
    ($($field:ident).+, $category:literal, $accepts:expr, $effect:literal) => {
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
}

/// Every key, in the order of listings and of the example. Defaults are in [`Config::default`].
#[rustfmt::skip]
pub(super) static KEYS: &[Key] = &[
    key!(max_sessions, "session", Accepts::Integer(0, 4096),
        "Maximum number of live sessions; a further one is refused with max_sessions. 0: no limit."),
    key!(session_timeout, "session", Accepts::Seconds(YEAR_S),
        "Close a session after this many seconds without input or output (reason idle), unless it is persistent. 0: never."),
    key!(max_session_runtime, "session", Accepts::Seconds(YEAR_S),
        "Maximum run time in seconds: of a session that is not persistent (reason runtime), and of a program started by run, chain, parallel or watch without its own timeout. 0: no limit."),
    key!(max_output_size, "session", Accepts::Integer(0, 1 << 50),
        "Maximum bytes in a session's log. At the limit the session is closed (reason output_limit); a persistent one drops its oldest output instead. 0: no limit."),
    key!(output_limit, "session", Accepts::Integer(1, 10_000_000),
        "Lines of output that a session keeps in memory; older lines are read back from its log."),
    key!(default_timeout, "session", Accepts::Seconds(YEAR_S),
        "Seconds that expect, wait and run wait if a request does not set a timeout, and that a command of a job waits for a free session. 0: check once."),
    key!(auto_cleanup, "session", Accepts::Boolean,
        "Remove old data at the start and every hour: ended sessions according to keep_log_days, ended_session_ttl and ended_session_limit, and old jobs, logs and records of hooks and runs. false: keep all of it, beyond every limit, until session.cleanup (ended sessions) or daemon.check (whatever is past its time)."),
    key!(log_rotation_size, "session", Accepts::Integer(4096, 1 << 40),
        "Size in bytes at which a session's output.log is rotated."),
    key!(keep_log_days, "session", Accepts::Integer(0, MAX_DAYS),
        "Days to keep the logs and database rows of ended sessions. 0: no longer than ended_session_ttl."),
    key!(ended_session_ttl, "session", Accepts::Seconds(100 * YEAR_S),
        "Seconds to keep an ended session in the list. 0: do not list it."),
    key!(ended_session_limit, "session", Accepts::Integer(0, 1_000_000),
        "Maximum number of ended sessions; beyond it, the oldest are removed with their logs and history, a hundredth of the limit at a time. 0: no limit."),
    key!(log_level, "logging", Accepts::OneOf(&["error", "warn", "info", "debug", "trace"]),
        "Lowest severity written to the daemon's own log."),
    key!(pipe_dir, "session", Accepts::Path,
        "Directory for named pipes, created with mode 0700; if it is not owned exclusively by the daemon's user, /tmp/claudecontrol-UID is used, or else pipes/ beside the socket."),
    key!(allow_root_peer, "daemon", Accepts::Boolean,
        "Serve root as well as the user that the daemon runs as."),
    key!(safe_mode, "investigation", Accepts::Boolean,
        "Refuse dangerous commands, such as those that delete, before an investigation sends them to a program. false: send them, unless the request says otherwise."),
    key!(limits.connections, "limits", Accepts::Integer(1, 65_536),
        "Maximum number of open connections; a further one gets limit_reached and is closed."),
    key!(limits.in_flight, "limits", Accepts::Integer(1, 65_536),
        "Maximum number of unanswered requests on one connection; a further one gets limit_reached."),
    key!(limits.batch, "limits", Accepts::Integer(1, 10_000),
        "Maximum number of requests in one batch; a longer batch is rejected as a whole."),
    key!(limits.frame_bytes, "limits", Accepts::Integer(4096, 1 << 30),
        "Maximum bytes in one message to the daemon; a longer one gets an error, and the connection stays open."),
    key!(limits.reply_bytes, "limits", Accepts::Integer(4096, 1 << 30),
        "Maximum bytes in one reply; a longer one is replaced with the error reply_too_large."),
    key!(limits.rows, "limits", Accepts::Integer(1, 10_000),
        "Maximum number of rows of a session's terminal."),
    key!(limits.cols, "limits", Accepts::Integer(1, 10_000),
        "Maximum number of columns of a session's terminal."),
    key!(logging.format, "logging", Accepts::OneOf(&["text", "json"]),
        "Format of the daemon's log: human-readable lines, or one JSON object per line."),
    key!(logging.destination, "logging", Accepts::OneOf(&["file", "journal", "stderr"]),
        "Destination of the daemon's log: a file in logs/, the system's journal, or standard error."),
    key!(logging.keep_days, "logging", Accepts::Integer(1, MAX_DAYS),
        "Days to keep the files of the daemon's log."),
    key!(logging.max_file_bytes, "logging", Accepts::Integer(65_536, 1 << 40),
        "Size at which a day's file of the daemon's log ends; further lines of that day are dropped."),
    key!(replay.tapes_path, "replay", Accepts::OptionalPath,
        "Directory of tapes, if a request names none. Empty: tapes in the base directory."),
    key!(replay.record, "replay", Accepts::OneOf(&["new", "overwrite", "disabled"]),
        "What a session with tapes records. new: exchanges that are on no tape; overwrite: exchanges that already are, in place; disabled: nothing."),
    key!(replay.fallback, "replay", Accepts::OneOf(&["not_found", "proxy"]),
        "What to do with an input that is on no tape. not_found: fail with tape_miss; proxy: ask the real program."),
    key!(replay.latency, "replay", Accepts::Latency,
        "Pause before each chunk of a tape: as the tape says, as recorded, N milliseconds, or a random number of milliseconds between N and M."),
    key!(replay.error_rate, "replay", Accepts::Percent,
        "Percentage of replayed exchanges that are cut short or end with a different exit status, to test callers."),
    key!(replay.summary, "replay", Accepts::Boolean,
        "List new and unused tapes at the end of a session with tapes."),
    key!(replay.silent, "replay", Accepts::Boolean,
        "Suppress ccctl's summary and notices about tapes on standard error; errors are still printed."),
    key!(replay.debug, "replay", Accepts::Boolean,
        "Log matching and replay decisions, normalisation steps and uses of decorators, without what was typed or printed."),
    key!(replay.allow_env, "replay", Accepts::List(ListOf::Variables),
        "Environment variables that are recorded and compared; no others are stored on a tape."),
    key!(replay.ignore_env, "replay", Accepts::List(ListOf::Variables),
        "Variables of allow_env that are recorded but not compared."),
    key!(replay.ignore_args, "replay", Accepts::List(ListOf::Arguments),
        "Arguments that are not compared."),
    key!(replay.ignore_stdin, "replay", Accepts::Boolean,
        "Ignore what was typed: exchanges match by their position alone."),
    key!(replay.match_cwd, "replay", Accepts::Boolean,
        "Replay a tape only in the working directory that it was recorded in."),
    key!(replay.strict, "replay", Accepts::Boolean,
        "Replay exact matches only: never fall back to another exchange with the same prompt and input."),
    key!(replay.redact, "replay", Accepts::Boolean,
        "Remove secrets from tapes; false keeps them and marks the tape accordingly."),
    key!(replay.redact_rules, "replay", Accepts::List(ListOf::Rules),
        "Additional patterns for secrets, applied wherever secrets are redacted: the first group of each match is masked or, without a group, the whole match."),
    key!(replay.seed, "replay", Accepts::Integer(0, 1 << 53),
        "Random seed for injected errors and for a random latency. 0: each tape's own seed."),
    key!(replay.decorators, "replay", Accepts::List(ListOf::Decorators),
        "Changes to recorded input, output or whole tapes before they are written: regular expressions with their replacements, or filter programs."),
    key!(replay.name, "replay", Accepts::TapeName,
        "Template of a new tape's path in its directory, without .json5; {verb} is the first argument."),
    key!(replay.tag, "replay", Accepts::Tag,
        "Label that is stored on a new tape and used in its name. Empty: none."),
    key!(replay.retention_days, "replay", Accepts::Integer(1, MAX_DAYS),
        "Days to keep the index of an unused directory of tapes and the replay counts of deleted tapes. Tapes are never removed."),
    key!(hooks.enabled, "hooks", Accepts::Boolean,
        "Keep the payloads of Claude Code's hooks and look for friction in them. false: they are accepted and thrown away."),
    key!(hooks.timeout_ms, "hooks", Accepts::Integer(20, 1000),
        "Milliseconds that a hook may take in all; ccctl hooks install writes a value other than 100 into the command."),
    key!(hooks.spool_bytes, "hooks", Accepts::Integer(1 << 20, 1 << 30),
        "Maximum bytes in spool/, where ccctl hook keeps payloads that no daemon takes; ccctl hooks install writes a value other than 67108864 into the command."),
    key!(hooks.keep_days, "hooks", Accepts::Integer(1, MAX_DAYS),
        "Days to keep the payloads of hooks, without their secrets."),
    key!(coach.record, "coach", Accepts::BooleanOrNull,
        "Whether the coach records. null: after ccctl hooks install or the first hook. true: always. false: never, including coach.session_events."),
    key!(coach.session_events, "coach", Accepts::Boolean,
        "Record friction in ccd's own sessions and runs as well: failed commands, timeouts of expect, the same input three times."),
    key!(coach.keep_event_days, "coach", Accepts::Integer(1, MAX_DAYS),
        "Days to keep events in the coach's events.sqlite."),
    key!(coach.guards, "coach", Accepts::Boolean,
        "Enforce guards: refuse tool calls that a rule forbids. false: guards stay in the ledger but refuse nothing."),
    key!(exec.claude, "exec", Accepts::Program,
        "Program that ccctl exec runs as Claude Code: a name on the caller's PATH, or an absolute path."),
    key!(exec.timeout, "exec", Accepts::Integer(1, 3600),
        "Time limit of a run in seconds, unless the request has one."),
    key!(exec.lock_timeout, "exec", Accepts::Integer(0, 86_400),
        "Seconds that a run waits for other runs in its work tree, unless the request has a limit."),
    key!(exec.parallel, "exec", Accepts::Integer(1, 64),
        "Maximum number of runs that work at once, over all work trees; further runs wait."),
    key!(exec.stall_s, "exec", Accepts::Integer(1, 3600),
        "Seconds without output after which a run is reported as stalled."),
    key!(exec.grace_s, "exec", Accepts::Integer(0, 3600),
        "Seconds that a run may take to exit after its result; then it is ended."),
    key!(exec.session_days, "exec", Accepts::Integer(1, MAX_DAYS),
        "Days after its last run until a conversation expires and can no longer be resumed; the daily cleanup removes it."),
    key!(exec.keep_days, "exec", Accepts::Integer(1, MAX_DAYS),
        "Days to keep the results of runs."),
    key!(exec.worktree_setup, "exec", Accepts::Boolean,
        "Run the repository's hooks and filters (post-checkout, Git LFS) when --worktree makes a work tree."),
    key!(conversations.roots, "conversations", Accepts::List(ListOf::Folders),
        "More directories with transcripts, in addition to Claude Code's own: each a directory of Claude Code (such as a copied ~/.claude), a directory of project directories, or one project directory."),
    key!(conversations.watch, "conversations", Accepts::Boolean,
        "Index transcripts in the background as soon as they change. false: index only when list, search or stats runs."),
    key!(conversations.archive, "conversations", Accepts::Boolean,
        "Keep transcripts that Claude Code deletes, in archive/ in the base directory. Setting it back to false deletes nothing."),
    key!(conversations.prices, "conversations", Accepts::FileOrNull,
        "Price table that replaces the built-in one (format: docs/CONVERSATIONS.md). null: the built-in table."),
    key!(memory.load, "memory", Accepts::Boolean,
        "Give each Claude Code session that starts in a project with a session memory a digest of it, by the SessionStart hook. Run ccctl hooks install after you change it: false adds --no-memory to the hook's command."),
    key!(memory.save_on, "memory", Accepts::List(ListOf::SaveMoments),
        "When to save the session memory of a project without being asked: before Claude Code compacts a conversation (pre_compact), when a session ends (session_end)."),
    key!(memory.digest_chars, "memory", Accepts::Integer(500, 9500),
        "Maximum characters of the digest; Claude Code passes on at most 10,000 characters of a hook's answer."),
    key!(investigation.max_depth, "investigation", Accepts::Integer(1, 20),
        "Longest path of commands that an investigation follows from the start of a program to one of its states."),
    key!(investigation.timeout, "investigation", Accepts::Integer(1, 86_400),
        "Time limit of an investigation in seconds; its report then has what was found so far."),
    key!(investigation.step_timeout, "investigation", Accepts::Integer(1, 3600),
        "Seconds that a program under investigation or test may take to print its help or to answer an input; after that it hangs."),
    key!(investigation.sandbox, "investigation", Accepts::Boolean,
        "Run programs under investigation under bubblewrap (bwrap), which must be installed."),
    key!(testing.memory_mb, "testing", Accepts::Integer(1, 1 << 20),
        "Peak memory in MB of all processes of a program above which the test resource fails."),
    key!(testing.cpu_percent, "testing", Accepts::Integer(1, 100_000),
        "Processor time of all processes of a program, in percent of one processor, above which the test resource fails."),
    key!(testing.copies, "testing", Accepts::Integer(2, 32),
        "Number of copies of a program that the test concurrent runs at the same time."),
    key!(testing.fuzz_inputs, "testing", Accepts::Integer(1, 10_000_000),
        "Number of random inputs that the test fuzz gives to a program."),
    key!(testing.timeout, "testing", Accepts::Integer(1, 86_400),
        "Time limit of a run of tests in seconds; its report then has the results so far."),
    key!(mcp.programs, "mcp", Accepts::List(ListOf::Programs),
        "Programs that agents may start through ccctl mcp; a name does not allow a path. A guard against mistakes: an allowed shell can start anything."),
    key!(mcp.sessions, "mcp", Accepts::OneOf(&["own", "all"]),
        "Sessions that agents see through ccctl mcp: own (those that an agent of the same name has started) or all."),
    key!(mcp.read_only, "mcp", Accepts::Boolean,
        "Offer agents only those tools of ccctl mcp that change nothing."),
];
