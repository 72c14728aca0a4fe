//! Transcripts of sub-agents beside that of their session, as older versions of Claude Code wrote them.

use serde::Deserialize;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

/// How much of an older sub-agent's transcript is read for its session.
const MAX_START_BYTES: u64 = 1 << 20;

#[derive(Deserialize)]
struct Start {
    #[serde(rename = "sessionId")]
    session_id: Option<String>,
}

/// Returns whether a file in the place of a session's transcript is one of a sub-agent.
pub(crate) fn is_older_agent(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    name.starts_with(b"agent-") && name.ends_with(b".jsonl")
}

/// Returns the session that the first record of such a file names.
pub(crate) fn session_of_older_agent(path: &Path) -> Option<String> {
    let mut start = BufReader::new(fs::File::open(path).ok()?.take(MAX_START_BYTES));
    let mut line = Vec::new();
    while start.read_until(b'\n', &mut line).ok()? > 0 {
        if let Ok(Start {
            session_id: Some(id),
        }) = serde_json::from_slice(&line)
        {
            return Some(id);
        }
        line.clear();
    }
    None
}
