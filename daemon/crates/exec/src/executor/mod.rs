//! The owner of all runs.

mod carry_out;
mod fresh;
mod outcome;
mod owner;
mod plan;
mod ready;
mod recover;
mod sessions;
mod tape;

pub use carry_out::Finish;
pub use owner::Executor;
pub use plan::Planned;
