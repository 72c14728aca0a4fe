//! What happens to a session, and what the log needs of that session.

use super::form::Form;
use crate::output::Output;
use ccd_protocol::SessionId;
use ccd_text::hidden::HiddenTexts;
use encoding_rs::Encoding;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A session, as its rows need it.
pub trait Subject: Send + Sync {
    fn about(&self) -> About<'_>;
}

/// What the rows of a session need of it.
pub struct About<'a> {
    pub id: &'a SessionId,
    pub program: &'a str,
    pub args: &'a [String],
    pub encoding: &'static Encoding,
    pub output: &'a Output,
    /// What no row may show.
    pub hidden: &'a HiddenTexts,
    /// Where the last RECV row ends.
    pub recorded_upto: &'a AtomicU64,
    /// Secrets are taken out of its rows. What was typed hidden is never in them.
    pub redacts_log: bool,
}

/// Something that happened to a session.
#[derive(Debug)]
pub enum Event {
    /// The program was started.
    Start,
    /// Something was typed.
    Send(Arc<Typed>),
    /// A pattern matched.
    Match {
        pattern: String,
        form: Form,
        matched: String,
        start: u64,
        end: u64,
    },
    /// Somebody read output up to an offset.
    Read { upto: u64 },
    /// A call failed, such as an expect that timed out.
    Failure(String),
    /// The daemon could not do something for the session.
    Trouble(String),
    /// The session has ended.
    End {
        /// The program ended by itself, or was closed.
        is_regular: bool,
        /// Why, and how its program ended.
        text: String,
    },
}

/// Input as it was written.
#[derive(Debug)]
pub struct Typed {
    /// What was typed, as the log may show it.
    pub text: String,
    /// Offset of the output when it was written.
    pub offset: u64,
    /// Never to be shown: asked for, or the terminal did not echo.
    pub hidden: bool,
    /// The program reads keys: the text counts as shown only if the terminal has shown each line of this.
    pub echo: Option<String>,
    pub form: Form,
}
