//! The bytes that keys and pastes send to a program.

mod encode;
mod names;
mod paste;

pub use encode::{KeyError, encode, fault};
pub(crate) use names::{Key, name_of};
pub use paste::paste;
