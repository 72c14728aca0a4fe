//! Sessions: one program on one pseudo-terminal.

use crate::method::{Done, methods};
use crate::timeout::Timeout;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

methods! {
    SessionCreate = "session.create" (SessionCreateParams) -> Session, "Starts a program on a terminal of its own and returns its record.";
    SessionList = "session.list" (SessionListParams) -> SessionListReply, "Lists live sessions, with `all` ended ones too.";
    SessionGet = "session.get" (SessionParams) -> Session, "Returns one session's record, live or ended.";
    SessionSend = "session.send" (SessionSendParams) -> SessionSendReply, "Types text, keys, bytes or a paste; with `expect` it waits for the answer in the same request.";
    SessionExpect = "session.expect" (SessionExpectParams) -> ExpectResult, "Waits for the first of several patterns.";
    SessionWait = "session.wait" (SessionWaitParams) -> SessionWaitReply, "Waits for the exit, for silence, for a prompt or until the program reads its terminal.";
    SessionRead = "session.read" (SessionReadParams) -> SessionReadReply, "Reads output without consuming it.";
    SessionScreen = "session.screen" (SessionScreenParams) -> SessionScreenReply, "Returns the screen as a terminal shows it now.";
    SessionRun = "session.run" (SessionRunParams) -> SessionRunReply, "Runs one command in a session's shell and returns exactly its output and exit status.";
    SessionSignal = "session.signal" (SessionSignalParams) -> Done, "Sends a signal to the terminal's foreground process group.";
    SessionResize = "session.resize" (SessionResizeParams) -> Done, "Changes the size of the terminal.";
    SessionClose = "session.close" (SessionCloseParams) -> SessionCloseReply, "Ends the program and everything it started, gracefully first, then by force.";
    SessionHistory = "session.history" (SessionHistoryParams) -> SessionHistoryReply, "Returns the interaction log, newest last.";
    SessionCleanup = "session.cleanup" (SessionCleanupParams) -> SessionCleanupReply, "Collects ended sessions; can close idle or all live ones too.";
}

/// Names one session.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionParams {
    /// Id, name, or a unique prefix of an id.
    pub session: String,
}

/// Parameters of `session.create`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionCreateParams {
    /// Program to run; looked up on the session's PATH when it has no slash. May be absent with `shell`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Start `program` (or the user's shell) with prompt marks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shell: bool,
    /// Working directory, absolute. Default: the user's home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Variables given explicitly; they lie over `caller_env` and count for `reuse`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The caller's whole environment. Absent: a clean one (HOME, USER, LOGNAME, SHELL, PATH, LANG).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller_env: Option<BTreeMap<String, String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// 1 to 1,000; default 24.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<i64>,
    /// 1 to 1,000; default 80.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cols: Option<i64>,
    /// WHATWG label for `text` and patterns; the log stays bytes. Default utf-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// No idle or runtime limit. Default: true with a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persist: Option<bool>,
    /// Return the live session with the same program, arguments, cwd, size and `env`, if there is one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reuse: bool,
    /// Default time-out of expect, wait and run, in seconds. 0: look once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<f64>,
    /// Ends the session after this many seconds without input or output. 0: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_timeout_s: Option<f64>,
    /// Ends the session after this many seconds. 0: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_session_runtime_s: Option<f64>,
    /// Ends the session after this many bytes of log. 0: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_size: Option<i64>,
    /// Lines kept in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_limit: Option<i64>,
    /// The session ends with the connection that created it, and goes once it has ended and that connection is closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub transient: bool,
    /// No echo and no output processing: output arrives as the program wrote it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plain: bool,
    /// Comes with named pipes; refused as `unavailable` until then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stream: bool,
    /// Comes with program configurations; refused as `unavailable` until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// Comes with tapes; refused as `unavailable` until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tape: Option<serde_json::Value>,
}

/// Whether the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SessionState {
    /// The program runs.
    Alive,
    /// The program has ended; it, a descendant or its terminal is still being cleaned up.
    Zombie,
    /// Ended and cleaned up.
    Dead,
}

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum EndReason {
    Exited,
    Signalled,
    Closed,
    Idle,
    Runtime,
    OutputLimit,
    Shutdown,
    DaemonKilled,
    HolderDied,
}

/// A session's record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    pub session_id: String,
    pub name: Option<String>,
    pub program: String,
    pub args: Vec<String>,
    pub cwd: String,
    /// Default time-out in seconds.
    pub timeout: f64,
    pub created_at: String,
    pub last_activity: String,
    pub persist: bool,
    pub encoding: String,
    pub pid: i32,
    /// Null while the program runs, or when a signal ended it.
    pub exitstatus: Option<i32>,
    /// Number of the signal that ended the program.
    pub signal: Option<i32>,
    pub state: SessionState,
    pub end_reason: Option<EndReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    pub rows: u16,
    pub cols: u16,
    pub output: SessionOutput,
    pub pipe: Option<serde_json::Value>,
    /// Looked up for `session.get` and `session.wait`, null elsewhere and after the end.
    pub waiting_for_input: Option<WaitingForInput>,
    pub attached: Vec<serde_json::Value>,
    pub config: Option<String>,
    pub tape: Option<serde_json::Value>,
    pub is_replay: bool,
    /// Seconds without input or output after which it ends; 0: no limit.
    pub session_timeout_s: f64,
    /// Seconds after which it ends; 0: no limit.
    pub max_session_runtime_s: f64,
    pub shell: bool,
    pub transient: bool,
    /// True when `reuse` found it instead of starting it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reused: bool,
    /// What was corrected in the request, such as a limit that was clamped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Where a session's output is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionOutput {
    pub log_path: String,
    /// Lines ended by a newline so far.
    pub output_lines: u64,
    /// Bytes so far: the offset at which the next byte will stand.
    pub output_bytes: u64,
    /// Bytes kept in memory.
    pub buffer_size: u64,
    pub rotated_at: Option<String>,
    /// Bytes that are in no log because the disk was full or stalled, as ranges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

/// Output that no log has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    pub offset: u64,
    pub length: u64,
}

/// Whether the program waits for its terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitingForInput {
    pub verdict: InputVerdict,
    /// Typed text would not be echoed: canonical mode with echo off.
    pub hidden: bool,
    /// How it was found out.
    pub how: String,
}

/// `blocked`: reads its terminal. `accepts`: waits for it among other things. `no`. `unknown`: not visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum InputVerdict {
    Blocked,
    Accepts,
    No,
    Unknown,
}

/// Parameters of `session.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionListParams {
    /// Ended sessions too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// Reply of `session.list`, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionListReply {
    pub sessions: Vec<Session>,
}

/// Parameters of `session.send`: exactly one of `text`, `data_b64`, `keys`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSendParams {
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Raw bytes in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_b64: Option<String>,
    /// Key names as tmux spells them: `C-c`, `Up`, `F5`, `M-x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<String>>,
    /// Adds the carriage return of the Enter key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub newline: bool,
    /// Sends `text` as a bracketed paste when the program asked for those.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paste: bool,
    /// Never record what is typed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// Wait for a pattern from the offset at which the input was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<SendExpect>,
}

/// What `session.send` shall wait for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SendExpect {
    pub patterns: Vec<Pattern>,
    #[serde(default, skip_serializing_if = "Timeout::is_default")]
    pub timeout_ms: Timeout,
    /// Match bytes as they came, control sequences included.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
}

/// Reply of `session.send`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSendReply {
    /// Offset of the output at which the input was written.
    pub offset: u64,
    pub written_bytes: u64,
    /// The terminal did not echo: the text is recorded as `<hidden>`.
    pub hidden: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discarded: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<ExpectResult>,
}

/// One pattern: `{"regex": …}`, `{"exact": …}`, `{"eof": true}` or `{"timeout": true}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Pattern {
    /// A regular expression of linear time.
    Regex(String),
    /// The text itself.
    Exact(String),
    /// The program has ended and everything it printed was looked at.
    Eof(bool),
    /// The time is over: its index is returned instead of an error.
    Timeout(bool),
}

/// Parameters of `session.expect`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionExpectParams {
    pub session: String,
    pub patterns: Vec<Pattern>,
    #[serde(default, skip_serializing_if = "Timeout::is_default")]
    pub timeout_ms: Timeout,
    /// Start here instead of at the session's cursor, and leave that cursor alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
}

/// What matched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExpectResult {
    /// Index of the pattern in the request.
    pub index: usize,
    pub matched: String,
    /// Groups of the expression; the first is the whole match.
    pub groups: Vec<Option<String>>,
    /// Text from the start of the search to the match, at most its last MiB.
    pub before: String,
    /// Bytes of `before` that were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub before_omitted_bytes: u64,
    pub start: u64,
    pub end: u64,
    /// Where the next search starts.
    pub cursor: u64,
    /// What was corrected in the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What `session.wait` waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum WaitFor {
    /// The program has ended.
    Exit,
    /// No output for `idle_ms`.
    Idle,
    /// The program waits for input and shows a prompt.
    Prompt,
    /// The program waits for input.
    Input,
}

/// Parameters of `session.wait`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionWaitParams {
    pub session: String,
    #[serde(rename = "for")]
    pub condition: WaitFor,
    /// Silence that counts as idle, in milliseconds; default 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Timeout::is_default")]
    pub timeout_ms: Timeout,
}

/// Reply of `session.wait`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionWaitReply {
    /// `exit`, `idle`, `prompt` or `input`; `exit` also when the program ended first.
    pub reason: String,
    /// How it was found out.
    pub how: String,
    #[serde(flatten)]
    pub session: Session,
}

/// Parameters of `session.read`. Without bounds: all that is in memory.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionReadParams {
    pub session: String,
    /// Offset of the first byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// With `since` the first so many lines, else the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// With `since` the first so many bytes, else the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Bytes as they came, as `data_b64`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
}

/// Reply of `session.read`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionReadReply {
    /// Without control sequences; invalid bytes as U+FFFD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_b64: Option<String>,
    pub start: u64,
    /// Where to read on.
    pub end: u64,
    /// More was asked for than is returned.
    pub truncated: bool,
    /// Bytes of the asked range that are not in this reply: cut off, lost to a gap, or deleted.
    pub omitted_bytes: u64,
}

/// How `session.screen` draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ScreenFormat {
    /// Lines of text.
    #[default]
    Text,
    /// Lines of text, and runs of equally styled cells.
    Cells,
    /// Comes with pictures; refused as `unavailable` until then.
    Svg,
}

/// Parameters of `session.screen`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionScreenParams {
    pub session: String,
    #[serde(default)]
    pub format: ScreenFormat,
}

/// Reply of `session.screen`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionScreenReply {
    pub rows: u16,
    pub cols: u16,
    pub cursor: Cursor,
    /// One text a row, trailing blanks removed.
    pub lines: Vec<String>,
    pub title: String,
    /// The program uses the alternate screen.
    pub alternate: bool,
    /// Offset of the output up to which the screen was drawn.
    pub offset: u64,
    /// Runs of equally styled cells, a list a row (format `cells`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<serde_json::Value>,
}

/// Where the cursor is, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cursor {
    pub row: u16,
    pub col: u16,
    pub visible: bool,
}

/// Parameters of `session.run`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionRunParams {
    pub session: String,
    pub command: String,
    /// Run on a second terminal, so that output of earlier background jobs stays out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub isolate: bool,
    #[serde(default, skip_serializing_if = "Timeout::is_default")]
    pub timeout_ms: Timeout,
}

/// Reply of `session.run`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionRunReply {
    /// Control sequences are kept; only `\r\n` becomes `\n`.
    pub output: String,
    /// The same as bytes, when it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_b64: Option<String>,
    /// 128 + N after signal N, as shells tell it. Null only when the session ended without a status.
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    /// The output was cut at 16 MiB.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    pub start: u64,
    pub end: u64,
    /// The command ended the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub session_ended: bool,
}

/// Parameters of `session.subscribe`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSubscribeParams {
    pub session: String,
    /// Offset of the first byte; default: what comes from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Leave out queries to the terminal, for a viewer whose own terminal would answer them again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strip_queries: bool,
    /// Adds `text` to each item.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text: bool,
}

/// One item of a subscription to output.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputItem {
    /// Counts the items of the subscription from 0.
    pub seq: u64,
    #[serde(flatten)]
    pub event: OutputEvent,
}

/// What an [`OutputItem`] tells.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum OutputEvent {
    /// Output, in order.
    Output {
        start: u64,
        end: u64,
        data_b64: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// The subscriber was too slow, or the output is gone: go on reading at `to`.
    Lagged { lagged: Lagged },
    /// The last item.
    Ended { ended: Ended },
    /// Nothing happened for a while; tells that the subscription lives.
    KeepAlive { keep_alive: bool },
}

/// Output that a subscriber did not get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lagged {
    /// First byte that was left out; `session.read {since}` may still have it.
    pub from: u64,
    /// Offset of the next item.
    pub to: u64,
}

/// How the session ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ended {
    pub exitstatus: Option<i32>,
    pub signal: Option<i32>,
    pub end_reason: Option<EndReason>,
    /// Offset of the end of the output.
    pub end: u64,
}

/// Parameters of `session.signal`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSignalParams {
    pub session: String,
    /// `INT`, `SIGINT` or `2`.
    pub signal: String,
}

/// Parameters of `session.resize`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionResizeParams {
    pub session: String,
    /// 1 to 1,000.
    pub rows: i64,
    /// 1 to 1,000.
    pub cols: i64,
}

/// Parameters of `session.close`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionCloseParams {
    pub session: String,
    /// Time between asking (HUP, TERM) and killing; default 2,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<f64>,
}

/// Reply of `session.close`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionCloseReply {
    pub exitstatus: Option<i32>,
    pub signal: Option<i32>,
    /// Something had to be killed.
    pub forced: bool,
    /// Processes that were killed.
    pub killed: Vec<i32>,
}

/// Parameters of `session.history`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionHistoryParams {
    pub session: String,
    /// At most so many rows, the newest; default 200, at most 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Only rows before this id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// Reply of `session.history`, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionHistoryReply {
    pub interactions: Vec<Interaction>,
}

/// What a row of the interaction log tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Action {
    Start,
    Send,
    Recv,
    Expect,
    Error,
}

/// A row of the interaction log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interaction {
    pub id: String,
    pub session_id: String,
    pub timestamp: String,
    pub action: Action,
    pub input_text: Option<String>,
    pub output_text: Option<String>,
    pub pattern_matched: Option<String>,
    /// Who did it: the client's name.
    pub client: Option<String>,
    pub client_pid: Option<i32>,
    /// Range of the output the row speaks of.
    pub start: Option<u64>,
    pub end: Option<u64>,
}

/// Parameters of `session.cleanup`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionCleanupParams {
    /// Close all live sessions too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    /// Close live sessions idle for so many seconds, never attached or `persist` ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age_s: Option<f64>,
}

/// Reply of `session.cleanup`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionCleanupReply {
    /// Sessions that are no longer listed.
    pub removed: u64,
}
