//! Starting a session.

use crate::tape::TapeOptions;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

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
    /// Return the live session with the same program, arguments, cwd, size, `env`, `config` and `set`, if there is one.
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
    /// Ends the session after this many bytes of log; a `persist` one drops its oldest log instead, in steps of a
    /// quarter of this, at least 64 KiB (at most `log_rotation_size`): it keeps between half and all of it. 0: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_size: Option<i64>,
    /// Lines kept in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_limit: Option<i64>,
    /// The session ends with the connection that created it, and goes once it has ended and that connection is closed.
    /// When another process of the daemon goes on, it waits 5 s for a connection that subscribes to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub transient: bool,
    /// No echo and no output processing: output arrives as the program wrote it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plain: bool,
    /// The program gets three pipes in place of a terminal, as in a pipeline: nothing it asks says that there is a terminal,
    /// and its standard error is told apart from its standard output. Input is typed as ever; an end of the input closes its
    /// pipe for good. Its terminal is `plain`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pipes: bool,
    /// Make a named pipe that has all events from the start; see `session.pipe`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stream: bool,
    /// Start what this program configuration says, and answer when its start is over. `program` and `timeout_s` go before
    /// its own. When the start fails, or the connection ends before it is over, the session is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// Values of the configuration's placeholders.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
    /// The secrets that the configuration asks for, by name; typed, and never stored. Also values of placeholders that are
    /// secrets. The error about missing ones has `data.secrets`, a list of {name, step, env?, file?, prompt?}.
    #[serde(default, skip_serializing_if = "Secrets::is_empty")]
    pub secrets: Secrets,
    /// Record the program, or let tapes stand in for it. Absent: neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tape: Option<TapeOptions>,
}

/// Secrets by name, which show their names alone where they are printed.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Secrets(pub BTreeMap<String, String>);

impl Secrets {
    /// True when there are none.
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
