//! Keys of exchanges: the normal forms of a command line, a prompt, an input, and of all earlier inputs.
//! Recorder and player both use them, so that recorded exchanges are found.

mod cursor;
mod hash;
mod input;
mod process_id;
mod prompt;
mod rules;
mod scrub;
mod state;
mod steps;

pub use hash::Fingerprint;
pub(crate) use input::{edited, ends_line};
pub use input::{is_open_text, normal_input};
pub use prompt::{PromptTracker, prompt_of, prompt_signature};
pub use rules::{
    Context, ContextRuleError, ContextRules, Difference, Invocation, TERMINAL, in_one_line,
    program_name,
};
pub use scrub::scrub;
pub use state::StateHash;
pub(crate) use steps::{input_steps, prompt_steps};
