//! What was typed hidden, and texts that hide their secrets. Pure: no files, no time.

mod masked;
mod texts;

pub use masked::Masked;
pub use texts::{HIDDEN, HiddenTexts};
