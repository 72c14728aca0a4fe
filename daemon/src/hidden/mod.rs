//! What was typed hidden, and texts that hide their secrets. Pure: no files, no time.

mod masked;
mod texts;

pub(crate) use masked::Masked;
pub(crate) use texts::{HIDDEN, HiddenTexts};
