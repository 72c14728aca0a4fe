//! What a shell shows before a command is typed.

use crate::output::Piece;
use crate::session::live::Session;
use crate::session::shell::Prompt;
use ccd_terminal::probe::STALE_AFTER_WRITE;
use std::time::Instant;

/// Output before the command from which the prompt is known.
const PROMPT_BYTES: u64 = 4096;

const PIECE_BYTES: usize = 256 << 10;

/// Since when a session has printed nothing.
pub(super) struct Silence {
    end: u64,
    since: Instant,
}

impl Silence {
    pub(super) fn new(session: &Session) -> Self {
        Self {
            end: session.output.end(),
            since: Instant::now(),
        }
    }
}

/// Tells whether what a waiting shell has printed is all there: a prompt, else silence. The kernel hands output
/// over in a worker, so on a busy machine the prompt comes after the shell waits.
pub(super) fn has_prompt(session: &Session, silence: &mut Silence) -> bool {
    if session.output.end() != silence.end {
        *silence = Silence::new(session);
    }
    silence.since.elapsed() >= STALE_AFTER_WRITE
        || !Prompt::at_end_of(&tail(session), true).is_empty()
}

/// The newest output: the prompt is at its end.
pub(super) fn tail(session: &Session) -> Vec<u8> {
    let end = session.output.facts().bytes;
    let from = end
        .saturating_sub(PROMPT_BYTES)
        .max(session.output.memory_start());
    match session.output.read_memory(from, PIECE_BYTES) {
        Some(Piece::Bytes(bytes)) => bytes,
        _ => Vec::new(),
    }
}
