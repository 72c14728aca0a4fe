//! Recording: what a session types and prints becomes a tape.

mod build;
mod bytes;
mod echo;
mod finish;
mod journal;
mod note;
mod open;
mod place;
mod recording;
mod resume;

pub(crate) use finish::{Finished, Heard, finish};
pub(crate) use journal::{Begin, EndEntry, Journal, now_us};
pub(crate) use note::Note;
pub(crate) use recording::{CommandLine, ECHO_BYTES, KeptRecording, Noted, Recording, Typed};
pub(crate) use resume::Resumption;
