//! Rules for the content of a memory: limits, cuts, validity, no secrets.

mod fit;
mod redact;
mod shorten;
mod table;
mod validate;

pub use fit::fit;
pub use redact::redact;
pub(crate) use redact::{FileSecret, all_secrets};
pub use shorten::shorten;
pub use validate::{validate, validate_text};
