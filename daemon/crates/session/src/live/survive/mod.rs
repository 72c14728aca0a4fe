//! Survival of sessions beyond a worker: adopted from the worker before, with rows and kept states for the next.

mod adopt;
mod ended;
mod fault;
mod kept_session;
mod persist;
mod recover;
mod rows;
mod strays;
mod table;

pub use adopt::ids_of;
pub(super) use ended::EndedSessions;
pub(super) use fault::die_if_asked;
pub(super) use kept_session::{KeptIn, KeptSession};
pub use recover::PastProcesses;
pub(super) use rows::recorded_gaps;
pub(super) use strays::StrayRecording;
