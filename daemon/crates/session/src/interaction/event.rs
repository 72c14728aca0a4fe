//! Events of a session, and the facts of a session that the interaction log needs.

use super::form::InputForm;
use crate::output::Output;
use ccd_protocol::SessionId;
use ccd_text::hidden::HiddenTexts;
use encoding_rs::Encoding;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// How long after the first event the rows of a batch are written.
pub const JUDGEMENT: Duration = Duration::from_millis(250);

/// A session, as the interaction log sees it.
pub trait Subject: Send + Sync {
    fn about(&self) -> About<'_>;
}

pub struct About<'a> {
    pub id: &'a SessionId,
    pub program: &'a str,
    pub args: &'a [String],
    pub encoding: &'static Encoding,
    pub output: &'a Output,
    pub hidden: &'a HiddenTexts,
    /// Offset at which the last RECV row ends.
    pub recorded_upto: &'a AtomicU64,
    /// Secrets are redacted in its rows. Hidden input is never in them, even without this.
    pub redacts_log: bool,
}

#[derive(Debug)]
pub enum HistoryEvent {
    Start,
    Send(Arc<TypedText>),
    Match {
        pattern: String,
        form: InputForm,
        matched: String,
        start: u64,
        end: u64,
    },
    Read {
        upto: u64,
    },
    /// A command that was typed into a shell has finished; its output ends at `upto`.
    Finished {
        upto: u64,
        exit_code: Option<i32>,
    },
    /// A call failed, such as an expect that timed out.
    Failure(Failure),
    /// The daemon could not do something for the session.
    Trouble(String),
    End {
        /// The program exited by itself, or was closed.
        is_regular: bool,
        /// The reason, and how the program ended.
        text: String,
        exit_code: Option<i32>,
    },
}

/// An event with everything that its rows need.
pub(super) struct NotedEvent {
    pub(super) session: Arc<dyn Subject>,
    pub(super) time: SystemTime,
    pub(super) at: Instant,
    pub(super) client: Option<(Arc<str>, Option<i32>)>,
    pub(super) event: HistoryEvent,
    pub(super) judged: Judged,
}

/// How far it is judged whether what was typed was echoed.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub(super) times: usize,
    /// How much of its first line was shown the last time.
    pub(super) begun: Option<usize>,
}

#[derive(Debug)]
pub struct Failure {
    /// The name of the error's number.
    pub kind: &'static str,
    pub text: String,
    pub waited: Duration,
    /// The patterns, or the condition, that it waited for.
    pub pattern: Option<String>,
    pub command: Option<String>,
}

#[derive(Debug)]
pub struct TypedText {
    /// The input, as the log may show it.
    pub text: String,
    /// Offset of the output when the input was written.
    pub offset: u64,
    /// Must never be shown: the client asked for it, or the terminal did not echo.
    pub hidden: bool,
    /// Set if the program reads keys: the text counts as shown only if the terminal has shown each line of this.
    pub echo: Option<String>,
    pub form: InputForm,
}
