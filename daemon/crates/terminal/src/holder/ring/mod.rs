//! The ring of a session: a file with the newest output, which outlives both processes.

mod bus_error;
mod ends;
mod file;
pub(super) mod layout;

pub(super) use bus_error::install_once;
pub(super) use ends::RingWriter;
#[cfg(not(portable))]
pub(super) use ends::exit_of;
pub use ends::{Exit, Ring};
pub use file::RingError;
