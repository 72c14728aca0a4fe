use ccd_mcp::Reach;
use ccd_tape::settings::ReplayDefaults;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use ccd_conversation::ConversationSettings as ConversationKeys;
/// What agents may do that speak MCP.
pub(crate) use ccd_mcp::Policy as McpKeys;

/// Declares groups of keys: each with its type and its default.
macro_rules! keys {
    ($(
        $(#[$about:meta])*
        struct $group:ident {
            $($(#[$about_key:meta])* $key:ident: $type:ty = $default:expr,)+
        }
    )+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        pub(crate) struct $group {
            $($(#[$about_key])* pub(crate) $key: $type,)+
        }

        impl Default for $group {
            fn default() -> Self {
                Self {
                    $($key: $default,)+
                }
            }
        }
    )+};
}

keys! {
    /// The current configuration, checked: every value is in its range.
    /// Fields have the names of their keys; [`KEYS`](super::schema::KEYS) describes them. A limit of `None` is 0 in
    /// the file: no limit.
    struct Config {
        max_sessions: Option<usize> = Some(20),
        session_timeout: Option<Duration> = Some(Duration::from_secs(300)),
        max_session_runtime: Option<Duration> = Some(Duration::from_secs(3600)),
        /// Maximum size of one session's log in bytes.
        max_output_size: Option<u64> = Some(100 << 20),
        /// Maximum number of lines of one session in memory.
        output_limit: usize = 10_000,
        default_timeout: Duration = Duration::from_secs(30),
        has_default_timeout: bool = false,
        auto_cleanup: bool = true,
        /// Maximum size of one log file in bytes.
        log_rotation_size: u64 = 10 << 20,
        keep_log_days: u32 = 7,
        ended_session_ttl: Duration = Duration::from_secs(86_400),
        ended_session_limit: Option<usize> = Some(10_000),
        log_level: LogLevel = LogLevel::Info,
        /// Directory of named pipes, if it is safe.
        pipe_dir: PathBuf = PathBuf::from("/tmp/claudecontrol"),
        allow_root_peer: bool = false,
        /// Investigations refuse dangerous commands.
        safe_mode: bool = true,
        limits: ClientLimits = ClientLimits::default(),
        logging: Logging = Logging::default(),
        replay: ReplayDefaults = ReplayDefaults::default(),
        hooks: Hooks = Hooks::default(),
        coach: CoachKeys = CoachKeys::default(),
        exec: ExecKeys = ExecKeys::default(),
        conversations: ConversationKeys = ConversationKeys {
            roots: Vec::new(),
            watch: true,
            archive: false,
            prices: None,
        },
        memory: MemoryKeys = MemoryKeys::default(),
        investigation: InvestigationKeys = InvestigationKeys::default(),
        testing: TestingKeys = TestingKeys::default(),
        mcp: McpKeys = McpKeys {
            programs: vec!["*".to_owned()],
            sessions: Reach::All,
            read_only: false,
        },
    }

    struct ClientLimits {
        connections: usize = 1024,
        /// Maximum number of unanswered requests of one connection.
        in_flight: usize = 256,
        batch: usize = 100,
        frame_bytes: usize = 16 << 20,
        reply_bytes: usize = 64 << 20,
        rows: u16 = 1000,
        cols: u16 = 1000,
    }

    struct Hooks {
        enabled: bool = true,
        /// Told to clients that install hooks.
        timeout_ms: u64 = 100,
        spool_bytes: u64 = 64 << 20,
        keep_days: u32 = 30,
    }

    struct CoachKeys {
        /// `None`: null.
        record: Option<bool> = None,
        session_events: bool = false,
        keep_event_days: u32 = 365,
        guards: bool = true,
    }

    struct ExecKeys {
        /// Name or path of the program.
        claude: String = "claude".into(),
        /// Seconds.
        timeout: u32 = 600,
        /// Seconds.
        lock_timeout: u32 = 300,
        parallel: usize = 4,
        stall_s: u32 = 120,
        grace_s: u32 = 10,
        session_days: u32 = 7,
        keep_days: u32 = 90,
        worktree_setup: bool = false,
    }

    struct MemoryKeys {
        /// Sessions that start get the digest.
        load: bool = true,
        /// Of [`SAVE_MOMENTS`](super::list_of::SAVE_MOMENTS).
        save_on: Vec<String> = Vec::new(),
        digest_chars: usize = ccd_memory::DIGEST_CHARS,
    }

    struct InvestigationKeys {
        max_depth: u32 = 5,
        /// Seconds.
        timeout: u32 = 120,
        /// Seconds.
        step_timeout: u32 = 5,
        sandbox: bool = false,
    }

    struct TestingKeys {
        memory_mb: u32 = 500,
        cpu_percent: u32 = 80,
        copies: u32 = 3,
        fuzz_inputs: u32 = 1000,
        /// Seconds.
        timeout: u32 = 120,
    }

    struct Logging {
        format: LogFormat = LogFormat::Text,
        destination: LogDestination = LogDestination::File,
        keep_days: u32 = 7,
        /// Size at which nothing more is written to the file of a day.
        max_file_bytes: u64 = 16 << 20,
    }
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
