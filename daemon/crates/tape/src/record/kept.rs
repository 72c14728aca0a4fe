//! A recording on its way to the next worker.

use super::open::Open;
use ccd_text::redact::TypedLines;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the next worker must know, because no file may have it: the last input as it was typed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptRecording {
    pub(super) journal: PathBuf,
    pub(super) redacts: bool,
    pub(super) is_plain: bool,
    pub(super) number: u64,
    pub(super) open: Option<Open>,
    #[serde(default)]
    pub(super) lines: TypedLines,
    /// What was typed hidden, where the session does not know that: its terminal never echoes.
    #[serde(default)]
    pub(super) secrets: Vec<String>,
    /// What is known for a secret by its name.
    #[serde(default)]
    pub(super) recognised: Vec<String>,
}
