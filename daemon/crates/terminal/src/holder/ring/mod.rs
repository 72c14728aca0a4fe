//! The ring of a session: a file with the newest output, which outlives both processes.

mod bus_error;
mod ends;
mod file;
pub(super) mod layout;

pub(super) use bus_error::install_once;
pub use ends::{Exit, Ring};
pub(super) use ends::{RingWriter, exit_of};
pub use file::RingError;
