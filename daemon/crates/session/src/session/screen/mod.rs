//! What the terminal shows, and what it answers to the program.

mod file;
mod look;
mod model;
mod queries;
mod resize;
mod sizes;

pub(super) use model::ScreenModel;
pub(super) use queries::Queries;
pub(super) use sizes::Sizes;
