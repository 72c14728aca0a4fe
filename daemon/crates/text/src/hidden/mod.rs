//! Hidden input, and texts in which secrets are masked. Pure: no files, no clock.

mod echo;
mod masked;
mod prompt;
mod texts;

pub use echo::Echo;
pub use masked::Masked;
pub use prompt::{asks_for_secret, ends_with_secret_name};
pub use texts::{HIDDEN, HiddenTexts};
