//! The terminal's screen, and its answers to the program's queries.

mod drawn;
mod file;
mod look;
mod model;
mod queries;
mod resize;
mod screens;
mod sizes;
#[cfg(test)]
mod tests;

pub use model::Looked;
pub(super) use model::ScreenModel;
pub(super) use queries::Queries;
pub(super) use screens::Screens;
pub(super) use sizes::Sizes;
