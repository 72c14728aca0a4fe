//! Shells as programs of a session: integrated shells, and the exact output of one command.
//! Nothing here touches a terminal. The session's actor types what [`ShellRun`] returns, passes the terminal's output
//! to it, and reports what the shell is doing when output pauses.

mod command_file;
mod echo;
mod integration;
mod kind;
mod marks;
mod output;
mod progress;
mod prompt;
mod prompt_line;
mod run;
mod wrap;

#[cfg(all(test, target_os = "linux"))]
mod case_tests;
#[cfg(all(test, target_os = "linux"))]
mod driver_tests;
#[cfg(all(test, target_os = "linux"))]
mod fish_tests;
#[cfg(all(test, target_os = "linux"))]
mod integration_tests;
#[cfg(all(test, target_os = "linux"))]
mod matrix_tests;

pub(super) use command_file::{command_file, editor_file};
pub(super) use integration::{integrated, is_integrated, reads_start_files};
pub(super) use kind::{KNOWN, ShellKind};
pub(super) use marks::CommandRefusal;
pub(super) use progress::{CommandOutcome, Quiet, ShellAction, ShellGone};
pub(super) use prompt::{
    PromptMatch, ShellPrompt, asks_for_rest, edits_a_line, has_text_at_mark, is_at_mark,
    is_before_prompt, takes_commands,
};
pub(super) use run::{CommandStart, ShellRun};
pub(super) use wrap::{LineError, Nonce, Printer, TypedAs, typed_line};
