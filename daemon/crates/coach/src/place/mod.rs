//! Where an approved candidate is written.

mod apply;
mod block;
mod patch;
mod target;

pub use apply::PlaceError;
pub(crate) use apply::{Plan, plan, restore, write};
pub(crate) use block::Words;
pub(crate) use target::Places;
