//! Survival of sessions beyond a worker: adopted from the worker before, with rows and keepsakes for the next.

mod adopt;
mod ended;
mod fault;
mod keepsake;
mod persist;
mod recover;
mod rows;
mod strays;
mod table;

pub use adopt::ids_of;
pub(super) use ended::Ended;
pub(super) use fault::die_if_asked;
pub(super) use keepsake::{Keepsake, KeptIn};
pub use recover::Past;
pub(super) use strays::StrayRecording;
