//! Rules for the content of a memory: limits, cuts, validity, no secrets.

mod age;
mod fit;
mod limits;
mod redact;
mod shorten;
mod validate;

pub(crate) use age::age;
pub use fit::fit;
pub use limits::{Cuts, MAX_BYTES, Provenance};
pub(crate) use limits::{MAX_NEXT_TASKS, MAX_STEPS, percentage};
pub(crate) use redact::first_secret;
pub use redact::redact;
pub use shorten::shorten;
pub(crate) use shorten::{MESSAGE_CHARS, TITLE_CHARS, clip, one_line};
pub(crate) use validate::is_time;
pub use validate::validate;
