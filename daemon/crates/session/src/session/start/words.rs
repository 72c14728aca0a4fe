//! The words that a program is started with.

use crate::session::error::SessionError;
use ccd_terminal::holder::c_string;
use ccd_terminal::placeholder;
use std::ffi::{CString, OsStr, OsString};
use std::path::PathBuf;

/// Returns the command of the placeholder process, which runs while a tape replays.
pub(super) fn placeholder_command() -> Result<(PathBuf, Vec<CString>), SessionError> {
    let (program, words) = placeholder::command();
    let words = words
        .iter()
        .map(|word| c_string(OsStr::new(word), "an argument"));
    Ok((program, words.collect::<Result<_, _>>()?))
}

pub(super) fn argv(program: &str, args: &[OsString]) -> Result<Vec<CString>, SessionError> {
    let program = c_string(OsStr::new(program), "the program");
    let args = args.iter().map(|arg| c_string(arg, "an argument"));
    let words: Result<Vec<_>, _> = std::iter::once(program).chain(args).collect();
    Ok(words?)
}
