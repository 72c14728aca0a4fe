//! Recording: makes a tape of the input and output of a session.

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

pub(crate) use finish::write;
pub use finish::{MAX_OUTPUT_BYTES, Printed, RecorderState, RecordingEnd};
pub use journal::{Begin, EndEntry, Journal, now_us};
pub use note::Note;
pub use open::{CommandLine, ECHO_BYTES, Noted, Typed};
pub use place::Finished;
pub use recording::{Recording, Typing};
pub use resume::{KeptRecording, Resumption};
