//! The owner of all runs.
//!
//! - `owner`: [`Executor`], what handlers call
//! - `plan`: from a request to a run that may be started
//! - `carry_out`: a run from the queue to its result
//! - `fresh`: the work tree that a run gets for itself
//! - `outcome`: what is recorded of a run
//! - `recover`: runs that an earlier process did not finish
//! - `sessions`: conversations
//! - `tape`: a run with tapes

mod carry_out;
mod fresh;
mod outcome;
mod owner;
mod plan;
mod recover;
mod sessions;
mod tape;

pub use carry_out::Finish;
pub use owner::Executor;
pub use plan::Planned;
