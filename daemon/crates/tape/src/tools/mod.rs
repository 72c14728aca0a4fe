//! Operations on tapes other than replay: conversion, images and comparison.
//! All are pure: from a tape to a text or a tape. Files and sessions are up to the callers.

mod animation;
pub mod asciicast;
mod chain;
mod cut_text;
mod diff;
mod likeness;
pub(crate) mod marks;
mod mask;
mod one_line;
mod redact;
mod timeline;
mod transcript;
mod typed_lines;

pub use animation::{AnimationPace, animate, snapshot};
pub use chain::chain;
pub use diff::{diff, unified};
pub use likeness::{Comparison, OutputLikeness, SILENCE_MS};
pub use marks::IDLE;
pub use mask::{count_removed, mask_known};
pub use one_line::input_in_one_line;
pub use redact::{Removal, RemovedSecrets, redact_meta, redact_tape};
pub use timeline::{size, with_returns};
pub use transcript::{ended, is_echoed, transcript};
pub use typed_lines::{PRIVATE_KEY, shown_keys};

#[cfg(test)]
pub(crate) mod tests {
    use crate::format::{
        Chunk, Exchange, FORMAT, InputKind, Meta, PtySize, RecordedBy, Tape, TypedInput,
    };

    /// Returns a tape of `sqlite3 -batch` on a terminal.
    pub(crate) fn tape(exchanges: Vec<Exchange>) -> Tape {
        Tape {
            meta: Meta {
                created_at: "2026-01-02T03:04:05Z".into(),
                program: "sqlite3".into(),
                args: vec!["-batch".into()],
                pty: Some(PtySize { rows: 24, cols: 80 }),
                redact: true,
                ..Meta::default()
            },
            session: RecordedBy {
                format: FORMAT,
                ..RecordedBy::default()
            },
            exchanges,
        }
    }

    /// Returns an exchange whose chunks are 10 ms apart.
    pub(crate) fn exchange(input: &str, chunks: &[&str]) -> Exchange {
        Exchange {
            input: TypedInput {
                kind: if input.ends_with('\r') {
                    InputKind::Line
                } else {
                    InputKind::Raw
                },
                bytes: input.into(),
                ..TypedInput::default()
            },
            chunks: chunks
                .iter()
                .map(|data| Chunk {
                    delay_ms: 10,
                    data: data.as_bytes().to_vec(),
                    ..Chunk::default()
                })
                .collect(),
            dur_ms: 10 * chunks.len() as u64,
            ..Exchange::default()
        }
    }
}
