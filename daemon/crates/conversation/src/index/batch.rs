//! What was read of one file, on its way into the database.

use super::extract::Entry;
use crate::line::{About, ModelUse};

/// Records of one file that follow each other, and how far the file was read with them.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) step: Step,
    pub(crate) about: About,
    pub(crate) entries: Vec<Entry>,
    pub(crate) run_ends: Vec<RunEnd>,
    /// Whether the last run of a stream goes on, if lines say so.
    pub(crate) is_running: Option<bool>,
    /// About as many bytes are stored.
    pub(crate) text_bytes: usize,
}

/// How far a file was read with a batch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Step {
    pub(crate) file_id: i64,
    /// Where the first line starts that is not in the index.
    pub(crate) read: i64,
    /// Those of the file with this much read.
    pub(crate) modified: i64,
    pub(crate) stamp: i64,
    pub(crate) skipped: i64,
    /// Bytes that were read for it.
    pub(crate) bytes: u64,
    /// Nothing more of the file follows for now.
    pub(crate) is_last: bool,
    /// The file could not be read to its end.
    pub(crate) has_failed: bool,
}

/// The end of a run in a stream.
#[derive(Debug)]
pub(crate) struct RunEnd {
    /// How many entries of the batch come before it.
    pub(crate) after: usize,
    pub(crate) at: Option<i64>,
    pub(crate) used: Vec<ModelUse>,
}
