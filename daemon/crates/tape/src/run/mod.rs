//! Runs: programs that get all of their input at once, print through pipes, and exit. A run is one exchange.

mod find;
mod patch;
mod record;

pub use find::{RunKey, TapedRun};
pub use patch::{is_of_a_run, patch, set_patch};
pub use record::RunRecord;
