//! What is seen of a program from outside, at one point in time.

use crate::moment::Moment;
use std::time::Duration;

#[derive(Debug, Clone, Default)]
pub struct Look {
    pub at: Moment,
    pub shown: Shown,
    /// Whether the program waits for input from its terminal; `None` if the system does not say.
    pub reads: Option<bool>,
    /// Since the last output.
    pub quiet: Duration,
    /// There was output, processor time, or a new line in the transcript since the last look.
    pub has_moved: bool,
    pub transcript: Option<Tail>,
}

/// What a screen shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Shown {
    /// There is no screen, or nobody looked.
    #[default]
    Unknown,
    Dialog(Dialog),
    /// The mark of a program that works.
    Work,
    /// Neither.
    Nothing,
}

/// A question on a screen, with its choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// The question with what is around it: all rows of its box above the choices.
    pub text: String,
    /// Their numbers, or letters, and their texts.
    pub choices: Vec<(String, String)>,
    /// The choice that the Enter key takes, counted from 0.
    pub selected: usize,
    /// All of it, without spaces: how the screen wraps it does not matter.
    pub letters: String,
    /// The same of what is above the choices.
    pub asked: String,
}

impl Dialog {
    #[must_use]
    pub fn choices(&self) -> Vec<String> {
        self.choices.iter().map(|(_, text)| text.clone()).collect()
    }
}

/// The end of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tail {
    /// When its last line that counts was written.
    pub unix_ms: u64,
    pub prompt: Option<String>,
    pub answer: Option<String>,
    /// Tokens of the last request and its response.
    pub context_tokens: Option<u64>,
    pub model: Option<String>,
}
