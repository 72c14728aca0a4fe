//! `session.run` in a session that is recorded or replayed: a command must be typed in the same way each time.
//! So the command itself is typed instead of the path of a file, or stored in place of the key that makes a line editor
//! take it; and the nonce of its marks is derived from the
//! command. The nonce need not be secret: it only separates the command's output from that of earlier commands, and a
//! program that prints marks on purpose only spoils its own recording.

use crate::live::shell::{LineError, Nonce, Printer, TypedAs, typed_line};
use crate::live::tape::SessionTape;
use ccd_tape::record::CommandLine;
use ccd_text::redact::redact_typed;

/// Each shell has a better builtin, but a tape does not show which shell a recorded program leads to.
pub(super) const PRINTER: Printer = Printer::Printf;

/// A command in the form that tapes contain.
#[derive(Debug)]
pub struct CommandOnTape {
    pub(super) nonce: Nonce,
    /// The typed line, with secrets redacted.
    pub line: Vec<u8>,
    /// Set for a command with secrets, which its echo shows: the text before which the echo ends.
    cut_echo: Option<String>,
}

impl CommandOnTape {
    pub(super) fn new(
        tape: &SessionTape,
        command: &str,
        has_editor: bool,
    ) -> Result<Self, LineError> {
        let clean = redact_typed(command);
        let nonce = Nonce::from_text(&clean);
        let has_secrets = tape.settings.redact && clean != command;
        let shown = if has_secrets { &*clean } else { command };
        let line = if has_editor {
            format!("{shown}\r").into_bytes()
        } else {
            typed_line(&nonce, PRINTER, TypedAs::Inline(shown.as_bytes()), None)?
        };
        Ok(Self {
            line,
            cut_echo: has_secrets.then(|| nonce.printed_start()),
            nonce,
        })
    }

    pub fn recorded(&self) -> CommandLine<'_> {
        CommandLine {
            cut_echo: self.cut_echo.as_deref(),
        }
    }
}
