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
pub use finish::{MAX_OUTPUT_BYTES, PrintedOutput, RecorderState, RecordingEnd};
pub use journal::{Begin, EndEntry, Journal, now_us};
pub use note::RecordingNote;
pub use open::{CommandLine, ECHO_BYTES, NotedInput, TypedBytes};
pub use place::FinishedTapes;
pub use recording::{Recording, TypingGuard};
pub use resume::{KeptRecording, Resumption};
