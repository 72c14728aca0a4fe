//! The output of a session: addressed by offset, never consumed by reading.
//! The newest bytes are in the ring (which outlives the process), the last lines in memory, the
//! rest in the log. Readers pull by offset at their own pace, so a slow reader delays only itself.

mod flush;
mod history;
mod lent;
pub mod log;
mod readable;
mod take;

pub use flush::{Flushed, Flusher};
pub use readable::{Output, OutputFacts, PIECE_BYTES, Piece, Stretch};
pub use take::{LogCall, Taken};
