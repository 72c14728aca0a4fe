//! Rules for the content of a memory: limits, cuts, validity, no secrets.

mod fit;
mod redact;
mod shorten;
mod validate;

pub use fit::fit;
pub(crate) use redact::first_secret;
pub use redact::redact;
pub use shorten::shorten;
pub use validate::validate;
