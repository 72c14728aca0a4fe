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

pub use finish::{Ended, Finished, Heard, MAX_OUTPUT_BYTES, Printed};
pub use journal::{Begin, EndEntry, Journal, now_us};
pub use kept::KeptRecording;
pub use note::Note;
pub use open::ECHO_BYTES;
pub use recording::Recording;
pub use resume::Resumption;
pub use typed::{CommandLine, Noted, Typed};
