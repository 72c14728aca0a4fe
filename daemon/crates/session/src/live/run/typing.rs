//! How a command is typed: into which shell, and in which form.

use crate::live::error::SessionError;
use crate::live::shell::{
    CommandStart, LineError, Nonce, Printer, ShellPrompt, ShellRun, TypedAs, takes_commands,
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Shell {
    Own,
    /// A shell inside of it, on the same terminal.
    Inside,
    /// A shell at the far end of a connection, on a terminal that cannot be seen.
    Far,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RunTyping {
    pub(super) nonce: Nonce,
    pub(super) printer: Printer,
    pub(super) shell: Shell,
    /// The process at the near end of the shell; 0 if a tape takes its place, or an earlier build typed the command.
    #[serde(default)]
    pub(super) pid: i32,
    /// The shell's line editor takes the command.
    pub(super) has_editor: bool,
    /// The file that a shell on this machine reads; without one the command itself is typed.
    pub(super) file: Option<PathBuf>,
    pub(super) line_editing: bool,
    pub(super) is_on_tape: bool,
    /// The end of the output before it was typed.
    pub(super) offset: u64,
}

impl RunTyping {
    /// Returns the run of `command` at the prompt that ends `shown`.
    pub(super) fn start(
        &self,
        shown: &[u8],
        command: &str,
        isolate: Option<&Path>,
        is_resumed: bool,
    ) -> Result<ShellRun, SessionError> {
        let path = self.file.as_deref();
        ShellRun::new(CommandStart {
            nonce: self.nonce.clone(),
            printer: self.printer,
            way: match path {
                // A tape needs no file: it answers the command itself.
                _ if self.has_editor => TypedAs::Editor(path.unwrap_or(Path::new("/"))),
                Some(path) => TypedAs::File(path),
                None => TypedAs::Inline(command.as_bytes()),
            },
            prompt: ShellPrompt::at_end_of(shown, self.line_editing),
            isolate,
            command: command.as_bytes(),
            may_retype: !self.is_on_tape,
            is_marked: self.is_on_tape || takes_commands(shown),
            is_resumed,
        })
        .map_err(untypeable)
    }
}

pub(super) fn untypeable(error: LineError) -> SessionError {
    SessionError::InvalidArgument(error.to_string())
}
