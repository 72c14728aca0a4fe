//! What a session printed: addressed by offset, never consumed by reading.
//!
//! The ring has the newest bytes (it outlives the process), memory the last lines, the log the
//! rest. Readers pull by offset at their own pace, so a slow one hurts only itself.

mod flush;
mod history;
pub mod log;
mod readable;

pub use flush::{Flushed, Flusher};
pub use readable::{LogCall, Output, OutputFacts, Piece, Taken};
