//! Program configurations: read, checked and kept by name; what a session makes of one is in `session/`.

mod error;
mod fields;
mod programs;
mod read;
mod recorded;
mod script;
mod secrets;
mod tape;
mod template;

pub(crate) use error::ProgramError;
pub(crate) use fields::unknown_fields;
pub(crate) use programs::Programs;
pub(crate) use read::{MAX_SAMPLE_LINE_CHARS, MAX_SAMPLE_LINES};
pub(crate) use recorded::{command_template, from_rows};
pub(crate) use script::{Script, ScriptStep, Typing, Wanted};
pub(crate) use secrets::{asks_for_secret, refuse_secrets};
pub(crate) use tape::{check_options as check_tape_options, laid_over as tape_laid_over};
