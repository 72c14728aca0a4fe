//! Recording: what a session types and prints becomes a tape.

mod build;
mod bytes;
mod echo;
mod finish;
mod journal;
mod note;
mod place;
mod recording;

pub(crate) use finish::{Finished, finish};
pub(crate) use journal::{Begin, EndEntry, now_us};
pub(crate) use note::Note;
pub(crate) use recording::{CommandLine, ECHO_BYTES, KeptRecording, Recording, Typed};
