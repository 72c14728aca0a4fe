//! The inputs that lead up to a tape that continues other tapes.

use ccd_tape::files::{FilesError, TapeFolder};
use ccd_tape::format::{Exchange, Tape};
use ccd_tape::key::{Fingerprint, StateHash};

/// Maximum number of tapes that lead up to one, each continuing another.
const MAX_TAPES: usize = 64;

/// Maximum number of exchanges before a tape's first one.
const MAX_EXCHANGES: usize = 10_000;

/// Returns the exchanges of other tapes in the directory from the program's start up to the first exchange of `tape`;
/// none if the tape starts with the program.
pub(crate) fn lead_to(folder: &TapeFolder, tape: &Tape) -> Result<Vec<Exchange>, FilesError> {
    let mut lead: Vec<Exchange> = Vec::new();
    let Some(mut state) = begin_of(tape.exchanges.first()) else {
        return Ok(lead);
    };
    for _ in 0..MAX_TAPES {
        let Some(hit) = folder.index.after(state).into_iter().next() else {
            break;
        };
        let before = folder.which(&hit.tape.id)?.load()?.tape;
        let upto = (hit.exchange as usize + 1).min(before.exchanges.len());
        let next = begin_of(before.exchanges.first());
        lead.splice(0..0, before.exchanges.into_iter().take(upto));
        match next {
            None => return Ok(lead),
            Some(_) if lead.len() > MAX_EXCHANGES => break,
            Some(next) => state = next,
        }
    }
    Err(FilesError::Argument(
        "the tape starts in the middle of a recording, and no other tape in the directory leads up to it".into(),
    ))
}

/// Returns the state at the start of a tape that does not start with the program.
fn begin_of(first: Option<&Exchange>) -> Option<Fingerprint> {
    let state = Fingerprint::parse(first?.pre.state_hash.as_deref()?);
    (state != StateHash::start().fingerprint()).then_some(state)
}
