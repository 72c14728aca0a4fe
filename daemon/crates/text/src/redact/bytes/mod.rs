//! Secrets in the bytes of a terminal.

mod key_lines;
mod known;
mod netrc_lines;
mod raw;
mod typed_lines;
mod view;

#[cfg(test)]
mod raw_tests;

pub use key_lines::key_lines;
pub use known::{KnownTexts, is_distinctive, masked_texts};
pub use raw::{redact_bytes, redact_chunks, redact_each, redact_typed, secret_texts};
pub use typed_lines::{SecretLines, TypedLines};
pub use view::Source;
