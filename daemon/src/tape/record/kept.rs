//! A recording on its way to the next worker.

use crate::redact::TypedLines;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the next worker must know, because no file may have it: the last input as it was typed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct KeptRecording {
    pub(super) journal: PathBuf,
    pub(super) redacts: bool,
    pub(super) is_plain: bool,
    pub(super) number: u64,
    pub(super) open: Option<KeptInput>,
    #[serde(default)]
    pub(super) lines: TypedLines,
    /// What was typed hidden.
    #[serde(default)]
    pub(super) secrets: Vec<String>,
    /// What is known for a secret by its name.
    #[serde(default)]
    pub(super) recognised: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KeptInput {
    pub(super) at_us: u64,
    pub(super) offset: u64,
    pub(super) raw: Vec<u8>,
    pub(super) hidden: bool,
    pub(super) keys: bool,
    pub(super) is_written: bool,
    #[serde(default)]
    pub(super) needs_no_echo: bool,
    #[serde(default)]
    pub(super) cut_echo: Option<String>,
    #[serde(default)]
    pub(super) private_key: bool,
}
