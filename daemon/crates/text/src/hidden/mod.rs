//! Hidden input, and texts in which secrets are masked. Pure: no files, no clock.

mod masked;
mod texts;

pub use masked::Masked;
pub use texts::{HIDDEN, HiddenTexts};
