//! `session.run` where a session is recorded or a tape plays: there a command must be typed in the same way each time.
//!
//! So it is typed itself, and not the path of a file, and its marks have a nonce that the command gives. Nobody needs to
//! guess that one: it keeps apart the output of a command and what an earlier one has printed, and a program that prints
//! marks on purpose spoils its own recording only.

use crate::session::shell::{LineError, Nonce, Printer, Way, typed_line};
use crate::session::tape::SessionTape;
use ccd_tape::record::CommandLine;
use ccd_text::redact::redact;

/// Each shell has a better one of its own, but no tape knows which shell a recorded program leads to.
pub(super) const PRINTER: Printer = Printer::Printf;

/// A command as tapes have it.
#[derive(Debug)]
pub struct CommandOnTape {
    pub(super) nonce: Nonce,
    /// What is typed, without secrets.
    pub line: Vec<u8>,
    /// Of a command with secrets: what its echo ends before, which shows them.
    cut_echo: Option<String>,
}

impl CommandOnTape {
    /// # Errors
    ///
    /// [`LineError`] when it cannot be typed.
    pub(super) fn of(tape: &SessionTape, command: &str) -> Result<Self, LineError> {
        let clean = redact(command).text;
        let nonce = Nonce::of(&clean);
        let has_secrets = tape.settings.redact && clean != command;
        let shown = match has_secrets {
            true => &*clean,
            false => command,
        };
        let line = typed_line(&nonce, PRINTER, Way::Inline(shown.as_bytes()), None)?;
        Ok(Self {
            line,
            cut_echo: has_secrets.then(|| nonce.printed_start()),
            nonce,
        })
    }

    /// For a recording.
    pub fn recorded(&self) -> CommandLine<'_> {
        CommandLine {
            cut_echo: self.cut_echo.as_deref(),
        }
    }
}
