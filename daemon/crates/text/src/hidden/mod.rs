//! Hidden input, and texts in which secrets are masked. Pure: no files, no clock.

mod echo;
mod masked;
mod texts;

pub use echo::{Echo, asks_for_secret};
pub use masked::Masked;
pub use texts::{HIDDEN, HiddenTexts};
