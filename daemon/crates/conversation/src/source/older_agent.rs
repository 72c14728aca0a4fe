//! Transcripts of sub-agents beside that of their session, as older versions of Claude Code wrote them.

use serde::Deserialize;
use std::fs::File;
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
    first_in(path, MAX_START_BYTES, |line| {
        let start: Start = serde_json::from_slice(line).ok()?;
        start.session_id
    })
}

/// Returns what `find` finds in the first line of a file in which it finds something, within `most_bytes`.
pub(crate) fn first_in<T>(
    path: &Path,
    most_bytes: u64,
    mut find: impl FnMut(&[u8]) -> Option<T>,
) -> Option<T> {
    let head = BufReader::new(File::open(path).ok()?.take(most_bytes));
    let mut lines = head.split(b'\n').map_while(Result::ok);
    lines.find_map(|line| find(&line))
}
