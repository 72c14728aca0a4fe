//! Inputs that could break a program, and how they are made small.
//!
//! - `random`: numbers that are the same everywhere for the same seed
//! - `inputs`: [`Inputs`], which depend on the seed and their number alone
//! - `shrink`: [`Shrinker`], which shortens an input as long as it still breaks the program

mod inputs;
mod random;
mod shrink;

pub use inputs::Inputs;
pub use shrink::Shrinker;
