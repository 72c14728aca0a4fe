//! Inputs that could break a program, and how they are made small.

mod inputs;
mod random;
mod shrink;

pub use inputs::Inputs;
pub use shrink::Shrinker;
