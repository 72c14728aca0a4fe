//! Program configurations: read, checked and saved by name. How a session uses one is in `live/`.

mod error;
mod fields;
mod programs;
mod read;
mod recorded;
mod script;
mod secrets;
mod tape;
mod template;

pub use error::ProgramError;
pub use fields::unknown_fields;
pub use programs::Programs;
#[cfg(feature = "fuzzing")]
pub use read::fault;
pub use read::{MAX_SAMPLE_LINE_CHARS, MAX_SAMPLE_LINES};
pub use recorded::{command_template, from_rows};
pub use script::{Script, ScriptInput, ScriptRequest, ScriptStep};
pub use secrets::{asks_for_secret, refuse_secrets};
pub use tape::{check_options as check_tape_options, laid_over as tape_laid_over};
