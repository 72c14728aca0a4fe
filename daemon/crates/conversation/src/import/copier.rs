//! The lines of one file into the copies of their sessions.

use super::kept::{KeptLine, KeptTranscript, bytes_at};
use crate::line::{Line, LineType};
use crate::lines::Lines;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

const PIECE_BYTES: usize = 256 << 10;

/// Most sessions in one file.
const MAX_SESSIONS: usize = 1000;

/// Lines before the first one that names a session; more are left out.
const MAX_HELD: usize = 1000;

const MAX_ID: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Copied {
    /// Lines that were added, by session.
    pub(super) added: BTreeMap<String, u64>,
    pub(super) skipped: u64,
}

struct LineToCopy {
    offset: u64,
    len: u64,
    session: Option<String>,
    uuid: Option<String>,
    is_record: bool,
}

pub(super) fn has_record(file: &File) -> io::Result<bool> {
    let mut has_record = false;
    read(file, |found| {
        has_record |= found
            .iter()
            .any(|one| one.is_record && one.session.is_some());
        Ok(if has_record {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    Ok(has_record)
}

/// Adds the lines of a file to the copies of their sessions; `path_of` names the copy of a session. A line without a
/// session belongs to the one before it, or else to the first one.
pub(super) fn copy(file: &File, path_of: impl Fn(&str) -> PathBuf) -> io::Result<Copied> {
    let mut copies: BTreeMap<String, KeptTranscript> = BTreeMap::new();
    let (mut session, mut held) = (None, Vec::new());
    let skipped = read(file, |found| {
        let mut lines: BTreeMap<String, Vec<KeptLine>> = BTreeMap::new();
        for one in found {
            session = one.session.clone().or(session.take());
            held.push(one);
            let Some(session) = &session else {
                held.truncate(MAX_HELD);
                continue;
            };
            let lines = lines.entry(session.clone()).or_default();
            for one in held.drain(..) {
                lines.push((one.uuid, bytes_at(file, one.offset, one.len)?));
            }
        }
        for (session, lines) in lines {
            if !copies.contains_key(&session) {
                if copies.len() == MAX_SESSIONS {
                    return Err(io::Error::other(format!(
                        "it has more than {MAX_SESSIONS} sessions"
                    )));
                }
                copies.insert(session.clone(), KeptTranscript::open(path_of(&session))?);
            }
            if let Some(kept) = copies.get_mut(&session) {
                kept.add(&lines)?;
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let metadata = file.metadata()?;
    let mut copied = Copied {
        skipped,
        ..Copied::default()
    };
    for (session, kept) in copies {
        kept.finish(&metadata)?;
        copied.added.insert(session, kept.added);
    }
    Ok(copied)
}

/// Reads a file, a piece at a time; returns how many lines are not valid. A last line needs no end.
fn read(
    file: &File,
    mut each: impl FnMut(Vec<LineToCopy>) -> io::Result<ControlFlow<()>>,
) -> io::Result<u64> {
    let (mut lines, mut at) = (Lines::default(), 0);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let count = file.read_at(&mut piece, at)?;
        at += count as u64;
        let mut found = Vec::new();
        let mut take = |offset, len, line: Line<'_>| {
            found.push(LineToCopy {
                offset,
                len,
                session: line
                    .session_id
                    .as_deref()
                    .filter(|id| is_id(id))
                    .map(str::to_owned),
                uuid: line.uuid.as_deref().map(str::to_owned),
                is_record: matches!(line.kind, LineType::Assistant | LineType::User),
            });
        };
        match count {
            0 => lines.finish(&mut take),
            count => lines.feed(&piece[..count], &mut take),
        }
        if each(found)?.is_break() || count == 0 {
            return Ok(lines.counts().skipped);
        }
    }
}

/// Returns whether a session's id may be the name of a file.
fn is_id(id: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '_';
    id.len() <= MAX_ID && id.chars().all(is_plain)
}
