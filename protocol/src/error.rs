//! Error codes and their form on the wire.
//!
//! JSON-RPC reserves -32768 to -32000 for protocol faults; ours are positive and never reused.

use serde::{Deserialize, Serialize};

/// What went wrong, in general: a client's exit status follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// The work did not succeed.
    Failed,
    /// The request or a value in it is wrong.
    Usage,
    NotFound,
    /// By a limit, a conflict or a policy; the same request may be accepted later.
    Refused,
    TimedOut,
    /// A bug in the daemon or the client.
    Internal,
}

macro_rules! error_codes {
    ($($variant:ident = $code:literal $kind:literal $category:ident $doc:literal,)*) => {
        /// Every error of ccd, with its number.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum ErrorCode {
            $(#[doc = $doc] $variant = $code,)*
        }

        impl ErrorCode {
            /// All codes, in the order of their numbers.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant),*];

            /// The value of `data.kind`.
            #[must_use]
            pub const fn kind(self) -> &'static str {
                match self { $(ErrorCode::$variant => $kind,)* }
            }

            /// What went wrong, in general.
            #[must_use]
            pub const fn category(self) -> Category {
                match self { $(ErrorCode::$variant => Category::$category,)* }
            }

            /// One sentence for the documentation.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(ErrorCode::$variant => $doc,)* }
            }

            /// The code with this number, if it is a code of ccd.
            #[must_use]
            pub const fn from_number(number: i64) -> Option<ErrorCode> {
                match number { $($code => Some(ErrorCode::$variant),)* _ => None }
            }
        }
    };
}

error_codes! {
    ParseError = -32700 "parse_error" Internal "The line is not JSON or not UTF-8.",
    InvalidRequest = -32600 "invalid_request" Internal "The JSON is not a JSON-RPC 2.0 request.",
    MethodNotFound = -32601 "method_not_found" NotFound "No method has this name.",
    InvalidParams = -32602 "invalid_params" Usage "A parameter is missing or has the wrong type, or the parameters are a list where names are required.",
    Internal = -32603 "internal" Internal "A bug in the daemon; its log has the details.",
    InvalidArgument = 1001 "invalid_argument" Usage "A parameter has a value that the method does not accept.",
    NotFound = 1002 "not_found" NotFound "No job has this id, no configuration key has this name, or the session has no named pipe.",
    Busy = 1003 "busy" Refused "A queue is full; try again shortly.",
    ShuttingDown = 1004 "shutting_down" Refused "The daemon is stopping and accepts no new work.",
    Timeout = 1005 "timeout" TimedOut "`session.wait` or `session.run` did not finish in the given time.",
    LimitReached = 1006 "limit_reached" Refused "A configured limit was reached.",
    ReplyTooLarge = 1007 "reply_too_large" Refused "The reply would exceed the limit; ask for less at a time.",
    VersionMismatch = 1008 "version_mismatch" Refused "Client and daemon use different protocol versions.",
    Unavailable = 1009 "unavailable" Refused "The daemon cannot do this now, or cannot do it on this system.",
    Storage = 1010 "storage" Failed "A file or database could not be read or written.",
    HandedOver = 1011 "handed_over" Refused "The worker is handing over to another one; this call was not finished.",
    SessionNotFound = 2001 "session_not_found" NotFound "No session has this id, name or unique prefix.",
    SessionNotAlive = 2002 "session_not_alive" Failed "The session's program has exited.",
    SpawnFailed = 2003 "spawn_failed" Failed "The program could not be started.",
    ExpectTimeout = 2004 "expect_timeout" TimedOut "No pattern matched in the given time.",
    ProcessEnded = 2005 "process_ended" Failed "The program exited before a pattern matched.",
    SessionConflict = 2006 "session_conflict" Refused "A live session already has this id or name, or a program configuration of this name exists.",
    MaxSessions = 2007 "max_sessions" Refused "The number of live sessions has reached its limit.",
    InvalidPattern = 2008 "invalid_pattern" Usage "A pattern cannot be used; the message says where and why.",
    InputFull = 2009 "input_full" Failed "The program has not read its input for 5 seconds.",
    NotAShell = 2010 "not_a_shell" Refused "The session's program is not a shell that can run commands.",
    ConfigNotFound = 2011 "config_not_found" NotFound "No program configuration has this name.",
    ChainNotFound = 2012 "chain_not_found" NotFound "No chain has this name.",
    PatternNotFound = 2013 "pattern_not_found" NotFound "The pattern library has no such entry.",
    ShellBusy = 2014 "shell_busy" Refused "The shell runs another command, or half a line is typed at its prompt; the message says which.",
    TapeMiss = 3001 "tape_miss" Failed "The input is on no tape; the data names the closest recorded exchange and the differences.",
    TapeInvalid = 3002 "tape_invalid" Failed "A tape cannot be read; the message says where and why.",
    TapeNotFound = 3003 "tape_not_found" NotFound "No tape in the directory of tapes has this id.",
    TapeConflict = 3004 "tape_conflict" Refused "A tape of this name exists already, or two tapes contain the same exchange.",
    TapeLocked = 3005 "tape_locked" Refused "Another process is writing this tape.",
    TapeFormatNewer = 3006 "tape_format_newer" Failed "The tape was written by a newer version.",
    RedactionFailed = 3007 "redaction_failed" Failed "Secrets could not be redacted, so nothing was written.",
    InjectedError = 3008 "injected_error" Failed "The program ended with an injected error (`error_rate` of the tape options). If output was cut short instead, the timeout that follows has `injected: true` in its data.",
    TargetNotFound = 4001 "target_not_found" NotFound "The program to investigate or test does not exist on the caller's PATH, or cannot be executed.",
    TargetEnded = 4002 "target_ended" Failed "The program ended before anything could be asked of it; the data has its exit status or signal.",
    RefusedUnsafe = 4003 "refused_unsafe" Refused "Safe mode refuses to send this to the program; the data names the rule.",
    ReportNotFound = 4004 "report_not_found" NotFound "No report has this id, unique prefix or file name.",
    SandboxUnavailable = 4005 "sandbox_unavailable" Refused "The program cannot be run under bubblewrap on this system; the message says why.",
    BaselineInvalid = 4006 "baseline_invalid" Usage "The baseline is not a report of tests, or not one of this program.",
    ExecInvalidRequest = 5001 "invalid_request" Usage "The request of a run has a wrong value; the message says which.",
    ClaudeNotFound = 5002 "claude_not_found" NotFound "There is no program `claude` on the caller's PATH, or at the configured path.",
    ClaudeUnusable = 5003 "claude_unusable" Failed "Claude Code could not do its work: it cannot be started, is not logged in, is out of quota, or cannot reach its API. `data.cause` says which.",
    RepositoryError = 5004 "repository_error" Failed "The directory is not in a git work tree, or git could not read or change it.",
    DirtyWorktree = 5005 "dirty_worktree" Refused "The work tree has changes that are not committed; the message names them.",
    ExecBusy = 5006 "exec_busy" Refused "Other runs did not release the work tree in time, or too many runs are waiting.",
    ExecSessionNotFound = 5007 "exec_session_not_found" NotFound "No conversation has this id, or the repository has none to continue.",
    SessionExpired = 5008 "session_expired" Refused "The conversation was not used for too long, and cannot be resumed.",
    SessionCompleted = 5009 "session_completed" Refused "The conversation was ended by `exec.end`, and cannot be resumed.",
    SessionOfOtherRepository = 5010 "session_of_other_repository" Refused "The conversation belongs to another repository; the message names both.",
    StashConflict = 5011 "stash_conflict" Failed "Changes that were put away before a run could not be restored; the stash is kept, and the message says how to get it back.",
    ExecutionNotFound = 5012 "execution_not_found" NotFound "No run has this id or unique prefix.",
    ConversationNotFound = 6001 "conversation_not_found" NotFound "No transcript has this session id or unique prefix, or there is no such file.",
    RecordNotFound = 6002 "record_not_found" NotFound "The conversation has no record or turn of this id.",
    ToolCallNotFound = 6003 "tool_call_not_found" NotFound "The conversation has no tool call with this id.",
    NotATranscript = 6004 "not_a_transcript" Failed "No line of the file is a record of Claude Code.",
    QueryInvalid = 6005 "query_invalid" Usage "The query has no word to look for, or a time of the scope cannot be read.",
    ConversationIndexUnavailable = 6006 "conversation_index_unavailable" Failed "The index of conversations cannot be opened or written.",
    MemoryNotFound = 7001 "memory_not_found" NotFound "The project has no session memory yet.",
    MemoryInvalid = 7002 "memory_invalid" Failed "The file has none of the sections of a session memory, or cannot be read.",
    MemorySecretFound = 7003 "memory_secret_found" Refused "The finished memory still holds something that looks like a secret, so nothing was written; the message says where.",
    MemoryNotWritable = 7004 "memory_not_writable" Failed "The memory could not be written; the old file is unchanged.",
    ProjectNotFound = 7005 "project_not_found" NotFound "The project's directory does not exist or cannot be read.",
    CandidateNotFound = 8001 "candidate_not_found" NotFound "No candidate has this id, fingerprint or unique prefix.",
    CandidateState = 8002 "candidate_state" Refused "The candidate's state does not allow this decision.",
    SettingsInvalid = 8003 "settings_invalid" Usage "Claude Code's settings file cannot be read as JSON, or its hooks have another shape; the message says where.",
    SettingsNotWritable = 8004 "settings_not_writable" Failed "Claude Code's settings file could not be written; it is unchanged.",
    TargetChanged = 8005 "target_changed" Refused "The file was edited since the rule was written to it.",
    CoachDatabaseUnavailable = 8006 "coach_database_unavailable" Failed "A database of the coach cannot be opened or written.",
    CoachConfigInvalid = 8007 "coach_config_invalid" Usage "The coach's configuration has a mistake; the message says where.",
    HookPayloadInvalid = 8008 "hook_payload_invalid" Usage "The payload of a hook cannot be used; it will not be accepted later either.",
    AgentNotFound = 9001 "agent_not_found" NotFound "No agent has this id, name or session, or more than one does.",
    AgentNotAsking = 9002 "agent_not_asking" Refused "The agent does not ask this question now, or nothing can be typed into it; the message says why.",
    AgentTimeout = 9003 "agent_timeout" TimedOut "The agents were not in these states in the given time.",
}

/// Members of `data`.
pub type ErrorData = serde_json::Map<String, serde_json::Value>;

/// An error as part of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// A number of [`ErrorCode`].
    pub code: i64,
    /// What happened, to what, and what to do; one line.
    pub message: String,
    /// `kind`, usually `hint`, and fields that depend on the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<ErrorData>,
}

impl ErrorObject {
    /// The code, if it is a code of ccd.
    #[must_use]
    pub fn known(&self) -> Option<ErrorCode> {
        ErrorCode::from_number(self.code)
    }

    /// What to do about it, if the daemon said so.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.data.as_ref()?.get("hint")?.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_kinds_are_unique() {
        let mut numbers: Vec<i32> = ErrorCode::ALL.iter().map(|&code| code as i32).collect();
        let mut kinds: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.kind()).collect();
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::from_number(*code as i64), Some(*code));
        }
        let len = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        kinds.sort_unstable();
        kinds.dedup();
        // A request that is no JSON-RPC, and the request of a run, are both `invalid_request`.
        assert_eq!((numbers.len(), kinds.len()), (len, len - 1));
    }
}
