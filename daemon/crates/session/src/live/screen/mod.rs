//! The terminal's screen, and its answers to the program's queries.

mod drawn;
mod file;
mod look;
mod memory;
mod model;
mod queries;
mod resize;
mod sizes;
#[cfg(test)]
mod tests;

pub use model::Looked;
pub(super) use model::{ScreenModel, Screens};
pub(super) use queries::Queries;
pub(super) use sizes::Sizes;
