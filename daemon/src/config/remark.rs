//! What is wrong in a configuration, and where.

use ccd_base::json5;

/// A mistake, for which a configuration is rejected, or a warning about one that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {text}")]
pub(crate) struct Remark {
    /// Both start at 1, and columns count characters.
    line: u64,
    column: u64,
    text: String,
}

impl Remark {
    /// About what is at `offset` in `file`.
    pub(super) fn new(file: &[u8], offset: usize, text: impl Into<String>) -> Self {
        let (line, column) = json5::place(file, offset);
        let text = text.into();
        Self { line, column, text }
    }
}
