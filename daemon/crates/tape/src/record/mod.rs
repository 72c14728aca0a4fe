//! Recording: makes a tape of the input and output of a session.

mod build;
mod bytes;
mod echo;
mod finish;
mod finished;
mod journal;
mod kept;
mod note;
mod open;
mod place;
mod recording;
mod resume;
mod typed;

pub(crate) use finish::write;
pub use finish::{MAX_OUTPUT_BYTES, Printed, RecorderState, RecordingEnd};
pub use finished::Finished;
pub use journal::{Begin, EndEntry, Journal, now_us};
pub use kept::KeptRecording;
pub use note::Note;
pub use open::ECHO_BYTES;
pub use recording::{Recording, Typing};
pub use resume::Resumption;
pub use typed::{CommandLine, Noted, Typed};
