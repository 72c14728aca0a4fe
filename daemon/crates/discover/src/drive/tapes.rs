//! How copies are recorded.

use ccd_protocol::tape::{MatchOptions, RecordMode, TapeOptions};
use std::path::Path;

/// Returns how a copy is recorded on a tape in a directory.
pub fn recorded_in(root: &Path, tag: Option<&str>) -> TapeOptions {
    TapeOptions {
        root: Some(root.to_string_lossy().into_owned()),
        record: Some(RecordMode::New),
        tag: tag.map(str::to_owned),
        summary: Some(false),
        // The copy runs in another environment than the one in which its tape is played.
        matching: Some(MatchOptions {
            allow_env: Some(Vec::new()),
            ..MatchOptions::default()
        }),
        ..TapeOptions::default()
    }
}
