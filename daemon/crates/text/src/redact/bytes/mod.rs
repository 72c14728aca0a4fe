//! Secrets in the bytes of a terminal.

mod key_lines;
mod known;
mod netrc_lines;
mod raw;
mod typed_lines;
mod view;

#[cfg(test)]
pub(super) mod raw_tests;

pub use known::KnownTexts;
pub use raw::{RedactedChunks, redact_chunks, redact_typed};
pub use typed_lines::{SecretLines, TypedLines};
pub use view::Source;
