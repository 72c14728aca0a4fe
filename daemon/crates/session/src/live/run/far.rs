//! The shell at the far end of ssh and the like: which language it speaks.

use super::target::{shows_prompt, tail};
use crate::durations::Deadline;
use crate::live::error::SessionError;
use crate::live::input::TerminalInput;
use crate::live::session::Session;
use crate::live::shell::{Nonce, Printer, PromptMatch, ShellPrompt};
use crate::output::Piece;
use memchr::memmem;
use std::time::Duration;

/// Silence at a new prompt after which no answer is expected any more.
const NO_ANSWER: Duration = Duration::from_millis(500);

const PIECE_BYTES: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct FarShell {
    /// The program on this side, which leads to it.
    relay: i32,
    prompt: ShellPrompt,
    printer: Printer,
}

impl Session {
    /// Returns how to print marks in the shell that `relay` leads to, if it was asked at this prompt.
    pub(super) fn far_printer(&self, relay: i32) -> Option<Printer> {
        let known = self.far_shell.lock();
        let known = known.as_ref().filter(|known| known.relay == relay)?;
        (known.prompt.likeness(&tail(self)) == PromptMatch::Same).then_some(known.printer)
    }

    /// Remembers what the shell at this prompt answered.
    pub(super) fn set_far_printer(&self, relay: i32, printer: Printer) {
        *self.far_shell.lock() = Some(FarShell {
            relay,
            prompt: ShellPrompt::at_end_of(&tail(self), true),
            printer,
        });
    }

    /// Asks the far shell whether it is fish. Any other shell that answers is taken to be a POSIX shell; `None` if it
    /// shows a prompt again without an answer, so it is not a shell.
    pub(super) async fn ask_far_shell(
        &self,
        deadline: &Deadline,
    ) -> Result<Option<Printer>, SessionError> {
        let nonce = Nonce::random().map_err(SessionError::Files)?;
        let nonce = nonce.as_str();
        let question = format!(" printf '\\033]133;F;%s;%s\\007' {nonce} \"$FISH_VERSION\"\r");
        let written = self
            .type_input(TerminalInput::new(question.as_bytes(), false))
            .await?;
        let mark = format!("\x1b]133;F;{nonce};");
        self.answer(written.offset, mark.as_bytes(), deadline).await
    }

    /// Returns the printer for the version that follows the mark; `None` if there is no mark.
    async fn answer(
        &self,
        mut at: u64,
        mark: &[u8],
        deadline: &Deadline,
    ) -> Result<Option<Printer>, SessionError> {
        let mut seen = Vec::new();
        loop {
            let changed = self.output.changed();
            match self.read_piece(at, PIECE_BYTES).await? {
                Piece::Bytes(bytes) => {
                    at += bytes.len() as u64;
                    seen.extend_from_slice(&bytes);
                    if let Some(start) = memmem::find(&seen, mark)
                        && let Some(version) = seen.get(start + mark.len())
                    {
                        return Ok(Some(match version {
                            0x07 => Printer::Printf,
                            _ => Printer::Fish,
                        }));
                    }
                    let surplus = seen.len().saturating_sub(PIECE_BYTES);
                    seen.drain(..surplus);
                }
                Piece::Missing { resume } => at = resume,
                Piece::End => return Ok(None),
                Piece::Pending => {
                    let silence = tokio::time::Instant::now() + NO_ANSWER;
                    let is_silent =
                        tokio::time::timeout_at(silence.min(deadline.instant()), changed)
                            .await
                            .is_err();
                    // Before the line is echoed, the prompt is that from before the question.
                    let has_entered = seen.contains(&b'\n');
                    if is_silent && (has_entered && shows_prompt(self) || deadline.is_over()) {
                        return Ok(None);
                    }
                }
            }
        }
    }
}
