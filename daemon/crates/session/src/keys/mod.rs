//! The bytes that keys and pastes send to a program.

mod encode;
mod names;
mod paste;

pub use encode::{KeyError, encode, fault};
pub use paste::paste;
