//! Rules for the content of a memory: limits, cuts, validity, no secrets.

mod fit;
mod redact;
mod shorten;
mod table;
mod validate;

pub(crate) use fit::fit;
pub(crate) use redact::{FileSecret, all_secrets, redact};
pub(crate) use shorten::shorten;
pub(crate) use validate::errors;
pub use validate::validate_text;
