//! The lines of one file into the copies of their sessions.

use super::kept::KeptTranscript;
use crate::line::Line;
use crate::lines::Lines;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;

/// Most sessions in one file.
const MAX_SESSIONS: usize = 1000;

const MAX_ID: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Copied {
    /// Lines that were added, by session.
    pub(super) added: BTreeMap<String, u64>,
    pub(super) skipped: u64,
}

/// Returns the first session that a line of a file names; `None` if no line is a record of a session.
pub(super) fn first_session(file: &File) -> io::Result<Option<String>> {
    let (mut lines, mut piece, mut first) = (Lines::default(), Vec::new(), None);
    loop {
        let mut has_record = false;
        let mut take = |_, _, line: Line<'_>| {
            let session = session_of(&line);
            has_record |= session.is_some() && line.role().is_some();
            first = first.take().or(session);
        };
        let count = lines.read_piece(file, u64::MAX, &mut piece, &mut take)?;
        if count == 0 {
            lines.finish(&mut take);
        }
        if has_record || count == 0 {
            return Ok(first.filter(|_| has_record));
        }
    }
}

/// Adds the lines of a file to the copies of their sessions; `path_of` names the copy of a session. A line without a
/// session belongs to the one before it, or else to `session`. A last line needs no end.
pub(super) fn copy(
    file: &File,
    mut session: String,
    path_of: impl Fn(&str) -> PathBuf,
) -> io::Result<Copied> {
    let mut copies: BTreeMap<String, KeptTranscript> = BTreeMap::new();
    let (mut lines, mut added) = (Lines::default(), Ok(()));
    let mut take = |_, _, line: Line<'_>| {
        if let Some(other) = session_of(&line) {
            session = other;
        }
        if added.is_ok() {
            added = copy_of(&mut copies, &session, &path_of).and_then(|copy| copy.add(&line));
        }
    };
    lines.read_to(file, u64::MAX, &mut take)?;
    lines.finish(&mut take);
    added?;
    let metadata = file.metadata()?;
    let mut copied = Copied {
        skipped: lines.counts().skipped,
        ..Copied::default()
    };
    for (session, copy) in copies {
        copied.added.insert(session, copy.finish(&metadata)?);
    }
    Ok(copied)
}

fn copy_of<'c>(
    copies: &'c mut BTreeMap<String, KeptTranscript>,
    session: &str,
    path_of: &impl Fn(&str) -> PathBuf,
) -> io::Result<&'c mut KeptTranscript> {
    if !copies.contains_key(session) {
        if copies.len() == MAX_SESSIONS {
            let text = format!("it has more than {MAX_SESSIONS} sessions");
            return Err(io::Error::other(text));
        }
        let copy = KeptTranscript::open(path_of(session))?;
        copies.insert(session.to_owned(), copy);
    }
    copies
        .get_mut(session)
        .ok_or(io::ErrorKind::NotFound.into())
}

/// Returns the session of a line, if its id may be the name of a file.
fn session_of(line: &Line<'_>) -> Option<String> {
    let id = line.session_id.as_deref()?;
    let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '_';
    (id.len() <= MAX_ID && id.chars().all(is_plain)).then(|| id.to_owned())
}
