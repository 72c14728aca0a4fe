//! What makes an exchange the right one: what counts of a command line, a prompt, an input, and of all inputs before.
//!
//! Recorder and player both ask here, so that what is recorded is found again.

mod hash;
mod input;
mod prompt;
mod rules;
mod scrub;
mod state;
mod text;

pub(crate) use hash::Fingerprint;
pub(crate) use input::{is_open_text, normal_input};
pub(crate) use prompt::{PromptTracker, prompt_of, prompt_signature};
pub(crate) use rules::{
    Context, Difference, Invocation, RuleError, Rules, TERMINAL, in_one_line, program_name,
};
pub(crate) use scrub::scrub;
pub(crate) use state::StateHash;
