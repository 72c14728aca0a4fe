//! What the terminal shows, and what it answers to the program.

mod file;
mod look;
mod model;
mod queries;
mod resize;
mod sizes;

pub(crate) use model::ScreenModel;
pub(crate) use queries::Queries;
pub(crate) use sizes::Sizes;
