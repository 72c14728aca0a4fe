//! The terminal's screen, and its answers to the program's queries.

mod file;
mod look;
mod model;
mod queries;
mod resize;
mod sizes;

pub use model::Looked;
pub(super) use model::ScreenModel;
pub(super) use queries::Queries;
pub(super) use sizes::Sizes;
