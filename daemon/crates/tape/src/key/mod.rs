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

pub use hash::Fingerprint;
pub use input::{is_open_text, normal_input};
pub use prompt::{PromptTracker, prompt_of, prompt_signature};
pub use rules::{
    Context, Difference, Invocation, RuleError, Rules, TERMINAL, in_one_line, program_name,
};
pub use scrub::scrub;
pub use state::StateHash;
