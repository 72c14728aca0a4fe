//! An exchange of the index.

use super::tape::{ExchangeRow, IndexedTape, TapeId};
use crate::format::Meta;
use crate::key::Fingerprint;
use std::sync::Arc;

/// The position of an exchange, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangePlace {
    pub tape: TapeId,
    pub exchange: u32,
    pub line: u32,
}

/// An exchange that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub tape: Arc<IndexedTape>,
    pub exchange: u32,
}

impl Hit {
    pub(super) fn new(tape: &Arc<IndexedTape>, exchange: u32) -> Option<Self> {
        tape.rows.get(exchange as usize)?;
        Some(Self {
            tape: Arc::clone(tape),
            exchange,
        })
    }

    pub fn meta(&self) -> &Meta {
        &self.tape.meta
    }

    /// Returns the input; `***` with Enter if it was hidden.
    pub fn input(&self) -> &[u8] {
        self.tape.input(self.row())
    }

    /// Returns the prompt as on the tape.
    pub fn prompt(&self) -> &str {
        &self.tape.prompt(self.row()).text
    }

    /// Returns whether the input was typed while the terminal did not echo: any line matches it.
    pub(crate) fn is_hidden(&self) -> bool {
        self.row().hidden
    }

    /// Returns whether the program read keys, not lines.
    pub fn reads_keys(&self) -> bool {
        self.row().keys
    }

    /// Returns whether the recording ended before the input was complete: it never answers, and only
    /// `candidates` returns it.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.row().unfinished
    }

    /// Returns whether this is the start of the program, without input.
    pub fn is_start(&self) -> bool {
        self.exchange == 0 && self.row().input_len == 0
    }

    /// Returns the hash chain of the inputs before it.
    pub fn state(&self) -> Fingerprint {
        self.row().state
    }

    /// Returns the hash chain of the inputs, including its own.
    pub(crate) fn state_after(&self) -> Fingerprint {
        self.tape.state_after(self.exchange)
    }

    /// Returns its position, for display.
    pub fn place(&self) -> ExchangePlace {
        ExchangePlace {
            tape: Arc::clone(&self.tape.id),
            exchange: self.exchange,
            line: self.row().line,
        }
    }

    pub(super) fn row(&self) -> &ExchangeRow {
        // Only made of existing exchanges, and a tape in the index never changes.
        &self.tape.rows[self.exchange as usize]
    }
}
