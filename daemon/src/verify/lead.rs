//! The inputs that lead to a tape which begins in the middle of a conversation.

use crate::tape::files::{FilesError, Folder, Which};
use crate::tape::format::file::FileError;
use crate::tape::format::{Exchange, Tape};
use crate::tape::key::{Fingerprint, Invocation, StateHash};

/// Tapes that one may begin behind, each behind another.
const MAX_TAPES: usize = 64;

/// Exchanges before a tape's first one.
const MAX_EXCHANGES: usize = 10_000;

/// Returns the exchanges from the program's start up to the first one of `tape`, out of other tapes of the folder; none
/// when it begins with the start.
///
/// # Errors
///
/// No tape leads there, or one cannot be read.
pub(crate) fn lead_to(folder: &Folder, tape: &Tape) -> Result<Vec<Exchange>, FilesError> {
    let mut lead: Vec<Exchange> = Vec::new();
    let Some(mut state) = begin_of(tape.exchanges.first()) else {
        return Ok(lead);
    };
    for _ in 0..MAX_TAPES {
        let Some((before, exchange)) = tape_before(folder, tape, state)? else {
            break;
        };
        let upto = (exchange as usize + 1).min(before.exchanges.len());
        let next = begin_of(before.exchanges.first());
        lead.splice(0..0, before.exchanges.into_iter().take(upto));
        match next {
            None => return Ok(lead),
            Some(_) if lead.len() > MAX_EXCHANGES => break,
            Some(next) => state = next,
        }
    }
    Err(FilesError::Argument(
        "the tape begins in the middle of a conversation, and no other tape of the folder leads there".into(),
    ))
}

/// A tape of the same command line that leads to a state, and its exchange that does.
fn tape_before(
    folder: &Folder,
    tape: &Tape,
    state: Fingerprint,
) -> Result<Option<(Tape, u32)>, FilesError> {
    let meta = &tape.meta;
    let own = Invocation::new(&meta.program, &meta.args, &meta.env, &meta.cwd);
    for hit in folder.index.after(state) {
        let other = &hit.tape.invocation;
        if (&other.program, &other.args) != (&own.program, &own.args) {
            continue;
        }
        let which = Which {
            id: hit.tape.id.to_string(),
            path: folder.index.path(&hit.tape.id),
        };
        match which.load() {
            Ok(loaded) => return Ok(Some((loaded.tape, hit.exchange))),
            // It has just gone.
            Err(FilesError::File(FileError::NotFound { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// The state in which a tape begins that does not begin with the program's start.
fn begin_of(first: Option<&Exchange>) -> Option<Fingerprint> {
    let state = Fingerprint::parse(first?.pre.state_hash.as_deref()?);
    (state != StateHash::start().fingerprint()).then_some(state)
}
