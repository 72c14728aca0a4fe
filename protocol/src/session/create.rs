//! Starting a session.

use crate::Inherited;
use crate::tape::TapeOptions;
use serde::{Deserialize, Serialize};
use serde_with::apply;
use std::collections::BTreeMap;
use std::fmt;

/// Parameters of `session.create`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionCreateParams {
    /// Program to run; looked up on the session's PATH if it contains no slash. Optional with `shell`.
    pub program: Option<String>,
    pub args: Vec<String>,
    /// Start `program` as a shell for `session.run`: it prints prompt marks (OSC 133), which show where the output of a
    /// command starts and ends. Default of `program`: the session's `SHELL`.
    pub shell: bool,
    /// Working directory, absolute. Default: the user's home.
    pub cwd: Option<String>,
    /// Variables given explicitly; they override `caller_env` and are compared by `reuse`.
    pub env: BTreeMap<String, String>,
    #[serde_with(skip_apply)]
    #[serde(flatten)]
    pub inherited: Inherited,
    /// The terminal type, TERM; overrides `env`. Default: `xterm-256color`, with COLORTERM=truecolor. TERM, COLORTERM,
    /// LINES and COLUMNS of `caller_env` are ignored, because they describe another terminal.
    pub term: Option<String>,
    pub name: Option<String>,
    /// Default: 12 random characters. An ended session with this id is deleted with its log and history; a live one is a
    /// conflict.
    pub id: Option<String>,
    /// 1 to 1,000; default 24.
    pub rows: Option<i64>,
    /// 1 to 1,000; default 80.
    pub cols: Option<i64>,
    /// WHATWG label of the encoding of `text` and patterns; the log always contains the bytes. Default utf-8.
    pub encoding: Option<String>,
    /// No idle timeout and no maximum run time. Default: true with a name.
    pub persist: Option<bool>,
    /// Return the live session with the same program, arguments, cwd, size, `env`, `config` and `set`, if one exists.
    pub reuse: bool,
    /// Default timeout of expect, wait and run, in seconds. 0: check once without waiting.
    pub timeout_s: Option<f64>,
    /// Ends the session after this many seconds without input or output. 0: no limit.
    pub session_timeout_s: Option<f64>,
    /// Ends the session after this many seconds. 0: no limit.
    pub max_session_runtime_s: Option<f64>,
    /// Ends the session after this many bytes of log. A `persist` session instead drops the oldest part of its
    /// log, in steps of a quarter of this limit (at least 64 KiB, at most the configuration key `log_rotation_size`),
    /// and keeps at least half of the limit. 0: no limit.
    pub max_output_size: Option<i64>,
    /// Lines of output kept in memory.
    pub output_limit: Option<i64>,
    /// The session ends when the connection that created it closes. Its output is removed once it has ended and that
    /// connection is closed; its record and its history stay. After a handover to another worker, it waits 5 s for a
    /// connection that subscribes to it.
    pub transient: bool,
    /// Whether the terminal echoes input at the start; see `session.echo`. Unlike `plain`, false keeps output
    /// processing on: a printed `\n` still arrives as `\r\n`. Cannot be combined with `pipes`, nor false with `tape`,
    /// nor true with `plain`. Default: true, unless `plain`.
    pub echo: Option<bool>,
    /// No echo and no output processing: output arrives exactly as the program wrote it.
    pub plain: bool,
    /// Give the program three pipes instead of a terminal, as in a pipeline: `isatty` and similar checks report no
    /// terminal, and its standard error is kept separate from its standard output. Input is sent as usual; `eof` closes
    /// its standard input for good. The session counts as `plain`.
    pub pipes: bool,
    /// Open a named pipe that carries all events from the start; see `session.pipe`.
    pub stream: bool,
    /// Start the program that this configuration describes, and reply when its start-up is complete. `program` and
    /// `timeout_s` override the configuration's values. If the start-up fails, or the connection closes before it is
    /// complete, the session is closed.
    pub config: Option<String>,
    /// Values for the configuration's placeholders.
    pub set: BTreeMap<String, String>,
    /// The secrets that the configuration asks for, by name; they are typed and never stored. Values of placeholders
    /// that are secrets can be given here too. The error about missing secrets has `data.secrets`, a list of {name,
    /// step, env?, file?, prompt?}.
    pub secrets: Secrets,
    /// Record the program, or replay tapes in its place. Absent: neither.
    pub tape: Option<TapeOptions>,
}

/// Secrets by name. Only their names appear in debug output.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Secrets(pub BTreeMap<String, String>);

impl Secrets {
    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.0.keys()).finish()
    }
}
