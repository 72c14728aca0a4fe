//! A recording as it is handed to the next worker.

use super::open::Open;
use ccd_text::redact::TypedLines;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the next worker must know but no file may contain: the last input as it was typed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptRecording {
    pub(super) journal: PathBuf,
    pub(super) redacts: bool,
    pub(super) is_plain: bool,
    pub(super) number: u64,
    pub(super) open: Option<Open>,
    #[serde(default)]
    pub(super) lines: TypedLines,
    /// Hidden input that the session does not know of, because its terminal never echoes.
    #[serde(default)]
    pub(super) secrets: Vec<String>,
    /// Secrets that were recognised by their names.
    #[serde(default)]
    pub(super) recognised: Vec<String>,
}
