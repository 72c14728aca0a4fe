//! A file that grows.

use super::area::AreaFile;
use super::items::{Maker, Source, Wanted};
use crate::lines::{Counts, Lines, line_at};
use crate::model::LineLocation;
use crate::source::{ReadPart, stamp};
use ccd_protocol::conversation::{ConversationItem, ConversationItemKind};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// How far before its start a file is read for calls that still wait for their results.
const LOOK_BACK_BYTES: u64 = 16 << 20;

#[derive(Debug)]
pub(super) struct Growing {
    pub(super) path: PathBuf,
    /// That of the last record, else the one that its place says it is of.
    pub(super) session_id: String,
    pub(super) is_sub_agent: bool,
    read: ReadPart,
    /// `None` until the first change: most files never have one.
    state: Option<GrowingState>,
}

#[derive(Debug, Default)]
struct GrowingState {
    lines: Lines,
    maker: Maker,
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
            read: ReadPart::new(
                &metadata,
                start.unwrap_or(u64::MAX).min(metadata.len()),
                None,
            ),
            state: None,
        })
    }

    /// Moves the start back by as many messages and prompts.
    pub(super) fn go_back(&mut self, turns: usize) -> io::Result<()> {
        let mut starts: VecDeque<u64> = VecDeque::with_capacity(turns + 1);
        let file = File::open(&self.path)?;
        GrowingState::before(&file, self.read.len, |item| {
            if !item.continued && item.turn.is_some_and(|turn| !turn.is_meta) {
                starts.push_back(item.offset);
                if starts.len() > turns {
                    starts.pop_front();
                }
            }
        })?;
        self.read.len = starts.front().copied().unwrap_or(self.read.len);
        Ok(())
    }

    /// Looks at the file again; what was added is read by [`Self::next_items`].
    pub(super) fn look(&mut self) -> Change {
        let Ok(metadata) = fs::metadata(&self.path) else {
            return Change::Gone;
        };
        if !self.read.is_start_of(&self.path, &metadata) {
            self.read = ReadPart::new(&metadata, 0, None);
            self.state = Some(GrowingState::default());
            return Change::Replaced;
        }
        if metadata.len() == self.read.len {
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
        let state = match &mut self.state {
            Some(state) => state,
            state => state.insert(GrowingState::before(&file, self.read.len, |_| ())?),
        };
        let GrowingState { lines, maker } = state;
        let read_line = |place: LineLocation| line_at(&file, place.offset, place.len).ok();
        let path = self.path.to_string_lossy();
        let (mut items, mut piece) = (Vec::new(), Vec::new());
        let count = lines.read_piece(&file, u64::MAX, &mut piece, &mut |offset, len, line| {
            let source = Source {
                line: &line,
                bytes: &String::from_utf8_lossy(line.raw),
                place: place(offset, len),
                file: &path,
                parent,
                read: &read_line,
                wanted,
            };
            items.extend(maker.items(&source));
            if let Some(session) = line.session_id {
                self.session_id = session.into_owned();
            }
        })?;
        self.read.len = lines.position();
        self.read.stamp = Some(stamp(&file, self.read.len)?);
        Ok((items, count == piece.len() as u64))
    }
}

impl GrowingState {
    /// Returns what the last lines before `end` mean for those after it; `each` gets their turns.
    fn before(file: &File, end: u64, mut each: impl FnMut(ConversationItem)) -> io::Result<Self> {
        let start = end.saturating_sub(LOOK_BACK_BYTES);
        let (mut lines, mut maker) = (Lines::at(start, Counts::default()), Maker::default());
        let wanted = Wanted {
            kinds: vec![ConversationItemKind::Turn],
            prices: Arc::default(),
        };
        lines.read_to(file, end, &mut |offset, len, line| {
            // The first line may have started earlier.
            if offset > start || start == 0 {
                let source = Source {
                    line: &line,
                    bytes: "",
                    place: place(offset, len),
                    file: "",
                    parent: None,
                    read: &|_| None,
                    wanted: &wanted,
                };
                maker.items(&source).into_iter().for_each(&mut each);
            }
        })?;
        Ok(Self { lines, maker })
    }
}

fn place(offset: u64, len: u64) -> LineLocation {
    LineLocation {
        file: 0,
        offset,
        len,
    }
}
