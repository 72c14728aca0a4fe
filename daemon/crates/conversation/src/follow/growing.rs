//! A file that grows.

use super::area::AreaFile;
use super::items::{Maker, Source, Wanted};
use crate::line::read;
use crate::lines::{Counts, Lines};
use crate::model::LineLocation;
use crate::source::stamp;
use ccd_protocol::conversation::ConversationItem;
use ccd_protocol::surrogate::mended;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::PathBuf;

const PIECE_BYTES: usize = 256 << 10;

/// How far before its start a file is read for calls that still wait for their results.
const LOOK_BACK_BYTES: u64 = 16 << 20;

#[derive(Debug)]
pub(super) struct Growing {
    pub(super) path: PathBuf,
    /// That of the last record, else the one that its place says it is of.
    pub(super) session_id: String,
    pub(super) is_sub_agent: bool,
    /// Device and inode: another file may come to its path.
    identity: (u64, u64),
    read: u64,
    /// A hash of parts of them, once something was read.
    stamp: Option<u64>,
    /// `None` until the first change: most files never have one.
    state: Option<GrowingState>,
}

#[derive(Debug, Default)]
struct GrowingState {
    lines: Lines,
    maker: Maker,
    /// Lines that were read, but whose items were not made.
    ready: VecDeque<LineLocation>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    Grown,
    /// Another one, or a shorter one, is at its path.
    Replaced,
    Gone,
}

impl Growing {
    /// Follows a file from `start`, or from its end. Nothing of it is read before something is added.
    pub(super) fn at(file: &AreaFile, start: Option<u64>) -> Option<Self> {
        let metadata = fs::metadata(&file.path).ok()?;
        Some(Self {
            path: file.path.clone(),
            session_id: file.session_id(),
            is_sub_agent: file.main.is_some(),
            identity: (metadata.dev(), metadata.ino()),
            read: start.unwrap_or(u64::MAX).min(metadata.len()),
            stamp: None,
            state: None,
        })
    }

    /// Moves the start back by as many messages and prompts.
    pub(super) fn go_back(&mut self, turns: usize) -> io::Result<()> {
        let mut starts: VecDeque<u64> = VecDeque::with_capacity(turns + 1);
        let file = File::open(&self.path)?;
        let mut maker = Maker::default();
        look_back(&file, self.read, |place, line| {
            if maker.note(line, place) && turns > 0 {
                starts.push_back(place.offset);
                if starts.len() > turns {
                    starts.pop_front();
                }
            }
        })?;
        self.read = starts.front().copied().unwrap_or(self.read);
        Ok(())
    }

    /// Looks at the file again; what was added is read by [`Self::next_items`].
    pub(super) fn look(&mut self) -> Change {
        let Ok(metadata) = fs::metadata(&self.path) else {
            return Change::Gone;
        };
        let identity = (metadata.dev(), metadata.ino());
        let is_written_anew = || {
            // Two reads of a kilobyte, each time: somebody may have written it anew in place.
            let now = File::open(&self.path).and_then(|file| stamp(&file, self.read));
            self.stamp.is_some_and(|known| now.ok() != Some(known))
        };
        if identity != self.identity || metadata.len() < self.read || is_written_anew() {
            self.identity = identity;
            self.read = 0;
            self.stamp = None;
            self.state = Some(GrowingState::default());
            return Change::Replaced;
        }
        if metadata.len() == self.read {
            Change::None
        } else {
            Change::Grown
        }
    }

    /// Returns items of the next lines, and whether there may be more.
    pub(super) fn next_items(
        &mut self,
        parent: Option<&str>,
        wanted: &Wanted,
    ) -> io::Result<(Vec<ConversationItem>, bool)> {
        let file = File::open(&self.path)?;
        if self.state.is_none() {
            self.state = Some(GrowingState::before(&file, self.read)?);
        }
        let Some(state) = &mut self.state else {
            return Ok((Vec::new(), false));
        };
        let mut has_more = true;
        if state.ready.is_empty() {
            let mut piece = vec![0; PIECE_BYTES];
            let count = file.read_at(&mut piece, self.read)?;
            let ready = &mut state.ready;
            state.lines.feed(&piece[..count], &mut |offset, len, _| {
                ready.push_back(place(offset, len));
            });
            self.read += count as u64;
            has_more = count == PIECE_BYTES;
            self.stamp = Some(stamp(&file, self.read)?);
        }
        let read_line = |place: LineLocation| line_at(&file, place);
        let path = self.path.to_string_lossy();
        let (mut items, mut bytes) = (Vec::new(), 0);
        while bytes < PIECE_BYTES as u64
            && let Some(place) = state.ready.pop_front()
        {
            bytes += place.len;
            let Some(text) = line_at(&file, place) else {
                continue; // it was changed meanwhile
            };
            if let Ok(line) = read(&mended(text.as_bytes())) {
                let source = Source {
                    line: &line,
                    bytes: &text,
                    place,
                    file: &path,
                    parent,
                    read: &read_line,
                };
                items.extend(state.maker.items(&source, wanted));
                if let Some(session) = line
                    .session_id
                    .as_deref()
                    .filter(|one| *one != self.session_id)
                {
                    self.session_id = session.to_owned();
                }
            }
        }
        Ok((items, has_more || !state.ready.is_empty()))
    }
}

impl GrowingState {
    /// Returns what the lines before `end` mean for those after it.
    fn before(file: &File, end: u64) -> io::Result<Self> {
        let mut maker = Maker::default();
        let lines = look_back(file, end, |place, line| {
            maker.note(line, place);
        })?;
        Ok(Self {
            lines,
            maker,
            ready: VecDeque::new(),
        })
    }
}

/// Reads the last lines that end before `end`. Returns what is to be fed with what follows.
fn look_back(
    file: &File,
    end: u64,
    mut each: impl FnMut(LineLocation, &crate::line::Line<'_>),
) -> io::Result<Lines> {
    let mut at = end.saturating_sub(LOOK_BACK_BYTES);
    let mut piece = vec![0; PIECE_BYTES];
    let mut lines = Lines::at(at, Counts::default());
    // It may start within a line.
    let mut is_skipping = at > 0;
    while at < end {
        let wanted = piece
            .len()
            .min(usize::try_from(end - at).unwrap_or(usize::MAX));
        let count = file.read_at(&mut piece[..wanted], at)?;
        if count == 0 {
            break;
        }
        let mut bytes = &piece[..count];
        if is_skipping {
            let skipped = memchr::memchr(b'\n', bytes).map_or(count, |found| found + 1);
            is_skipping = skipped == count && bytes.last() != Some(&b'\n');
            bytes = &bytes[skipped..];
            lines = Lines::at(at + skipped as u64, Counts::default());
        }
        lines.feed(bytes, &mut |offset, len, line| {
            each(place(offset, len), &line)
        });
        at += count as u64;
    }
    Ok(lines)
}

fn place(offset: u64, len: u64) -> LineLocation {
    LineLocation {
        file: 0,
        offset,
        len,
    }
}

/// Returns a line. Bytes that are not UTF-8 are replaced.
fn line_at(file: &File, place: LineLocation) -> Option<String> {
    let mut bytes = vec![0; usize::try_from(place.len).ok()?];
    file.read_exact_at(&mut bytes, place.offset).ok()?;
    Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}
