//! Recording: what a session types and prints becomes a tape.

mod asked;
mod build;
mod bytes;
mod echo;
mod finish;
mod journal;
mod kept;
mod note;
mod open;
mod place;
mod recording;
mod resume;
mod typed;

pub(crate) use finish::{Ended, Finished, Heard, MAX_OUTPUT_BYTES, Printed};
pub(crate) use journal::{Begin, EndEntry, Journal, now_us};
pub(crate) use kept::KeptRecording;
pub(crate) use note::Note;
pub(crate) use open::ECHO_BYTES;
pub(crate) use recording::Recording;
pub(crate) use resume::Resumption;
pub(crate) use typed::{CommandLine, Noted, Typed};
