//! Where an approved candidate is written.

mod apply;
mod block;
mod patch;
mod restore;
mod target;

pub use apply::PlaceError;
pub(crate) use apply::{FILE_BYTES, Plan, plan, write};
pub(crate) use block::Words;
pub(crate) use restore::{Written, restore};
