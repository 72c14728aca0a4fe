//! The bytes that keys and pastes send to a program.

mod encode;
mod names;
mod paste;

pub(crate) use encode::{encode, fault};
pub(crate) use paste::paste;
