//! Operations on text and on the bytes of a terminal: search, patterns, redaction, quoting, differences. Pure code: no runtime, no
//! files.
//!
//! Layers, top first; none uses one before it: `hidden` → `redact`, `pattern`, `piped_line` → `expect`, `canonical`,
//! `diff`, `escape`, `words`.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::print_stderr,
        reason = "tests fail by panicking and print what they skip"
    )
)]

pub mod canonical;
pub mod diff;
pub mod escape;
pub mod expect;
pub mod hidden;
pub mod pattern;
pub mod piped_line;
pub mod redact;
#[cfg(test)]
mod test_lines;
mod words;
