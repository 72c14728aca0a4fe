use ccd_mcp::Reach;
use ccd_tape::settings::Replay;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// The current configuration, checked: every value is in its range.
/// Fields have the names of their keys; [`KEYS`](super::schema::KEYS) describes them. `None` means no limit, which is 0
/// in the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Config {
    pub(crate) max_sessions: Option<usize>,
    pub(crate) session_timeout: Option<Duration>,
    pub(crate) max_session_runtime: Option<Duration>,
    /// Maximum size of one session's log in bytes.
    pub(crate) max_output_size: Option<u64>,
    /// Maximum number of lines of one session in memory.
    pub(crate) output_limit: usize,
    pub(crate) default_timeout: Duration,
    pub(crate) has_default_timeout: bool,
    pub(crate) auto_cleanup: bool,
    /// Maximum size of one log file in bytes.
    pub(crate) log_rotation_size: u64,
    pub(crate) keep_log_days: u32,
    pub(crate) ended_session_ttl: Duration,
    pub(crate) ended_session_limit: Option<usize>,
    pub(crate) log_level: LogLevel,
    /// Directory of named pipes, if it is safe.
    pub(crate) pipe_dir: PathBuf,
    pub(crate) allow_root_peer: bool,
    /// Investigations refuse dangerous commands.
    pub(crate) safe_mode: bool,
    pub(crate) limits: ClientLimits,
    pub(crate) logging: Logging,
    pub(crate) replay: Replay,
    pub(crate) hooks: Hooks,
    pub(crate) coach: CoachKeys,
    pub(crate) exec: ExecKeys,
    pub(crate) conversations: ConversationKeys,
    pub(crate) memory: MemoryKeys,
    pub(crate) investigation: InvestigationKeys,
    pub(crate) testing: TestingKeys,
    pub(crate) mcp: McpKeys,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClientLimits {
    pub(crate) connections: usize,
    /// Maximum number of unanswered requests of one connection.
    pub(crate) in_flight: usize,
    pub(crate) batch: usize,
    pub(crate) frame_bytes: usize,
    pub(crate) reply_bytes: usize,
    pub(crate) rows: u16,
    pub(crate) cols: u16,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hooks {
    pub(crate) enabled: bool,
    /// Told to clients that install hooks.
    pub(crate) timeout_ms: u64,
    pub(crate) spool_bytes: u64,
    pub(crate) keep_days: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CoachKeys {
    pub(crate) record: OrNull<bool>,
    pub(crate) session_events: bool,
    pub(crate) keep_event_days: u32,
    pub(crate) guards: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ExecKeys {
    /// Name or path of the program.
    pub(crate) claude: String,
    /// Seconds.
    pub(crate) timeout: u32,
    /// Seconds.
    pub(crate) lock_timeout: u32,
    pub(crate) parallel: usize,
    pub(crate) stall_s: u32,
    pub(crate) grace_s: u32,
    pub(crate) session_days: u32,
    pub(crate) keep_days: u32,
    pub(crate) worktree_setup: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConversationKeys {
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) watch: bool,
    pub(crate) archive: bool,
    pub(crate) prices: OrNull<PathBuf>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MemoryKeys {
    /// Sessions that start get the digest.
    pub(crate) load: bool,
    /// Of [`SAVE_MOMENTS`](super::list_of::SAVE_MOMENTS).
    pub(crate) save_on: Vec<String>,
    pub(crate) digest_chars: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InvestigationKeys {
    pub(crate) max_depth: u32,
    /// Seconds.
    pub(crate) timeout: u32,
    /// Seconds.
    pub(crate) step_timeout: u32,
    pub(crate) sandbox: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TestingKeys {
    pub(crate) memory_mb: u32,
    pub(crate) cpu_percent: u32,
    pub(crate) copies: u32,
    pub(crate) fuzz_inputs: u32,
    /// Seconds.
    pub(crate) timeout: u32,
}

/// What agents may do that speak MCP.
pub(crate) use ccd_mcp::Policy as McpKeys;

/// A value that is null in the file if there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OrNull<T>(pub(crate) Option<T>);

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Logging {
    pub(crate) format: LogFormat,
    pub(crate) destination: LogDestination,
    pub(crate) keep_days: u32,
    /// Size at which nothing more is written to the file of a day.
    pub(crate) max_file_bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogDestination {
    File,
    Journal,
    Stderr,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_sessions: Some(20),
            session_timeout: Some(Duration::from_secs(300)),
            max_session_runtime: Some(Duration::from_secs(3600)),
            max_output_size: Some(100 << 20),
            output_limit: 10_000,
            default_timeout: Duration::from_secs(30),
            has_default_timeout: false,
            auto_cleanup: true,
            log_rotation_size: 10 << 20,
            keep_log_days: 7,
            ended_session_ttl: Duration::from_secs(86_400),
            ended_session_limit: Some(10_000),
            log_level: LogLevel::Info,
            pipe_dir: PathBuf::from("/tmp/claudecontrol"),
            allow_root_peer: false,
            safe_mode: true,
            limits: ClientLimits {
                connections: 1024,
                in_flight: 256,
                batch: 100,
                frame_bytes: 16 << 20,
                reply_bytes: 64 << 20,
                rows: 1000,
                cols: 1000,
            },
            logging: Logging {
                format: LogFormat::Text,
                destination: LogDestination::File,
                keep_days: 7,
                max_file_bytes: 16 << 20,
            },
            replay: Replay::default(),
            hooks: Hooks {
                enabled: true,
                timeout_ms: 100,
                spool_bytes: 64 << 20,
                keep_days: 30,
            },
            coach: CoachKeys {
                record: OrNull(None),
                session_events: false,
                keep_event_days: 365,
                guards: true,
            },
            exec: ExecKeys {
                claude: "claude".into(),
                timeout: 600,
                lock_timeout: 300,
                parallel: 4,
                stall_s: 120,
                grace_s: 10,
                session_days: 7,
                keep_days: 90,
                worktree_setup: false,
            },
            conversations: ConversationKeys {
                roots: Vec::new(),
                watch: true,
                archive: false,
                prices: OrNull(None),
            },
            memory: MemoryKeys {
                load: true,
                save_on: Vec::new(),
                digest_chars: ccd_memory::DIGEST_CHARS,
            },
            investigation: InvestigationKeys {
                max_depth: 5,
                timeout: 120,
                step_timeout: 5,
                sandbox: false,
            },
            testing: TestingKeys {
                memory_mb: 500,
                cpu_percent: 80,
                copies: 3,
                fuzz_inputs: 1000,
                timeout: 120,
            },
            mcp: McpKeys {
                programs: vec!["*".to_owned()],
                sessions: Reach::All,
                read_only: false,
            },
        }
    }
}
