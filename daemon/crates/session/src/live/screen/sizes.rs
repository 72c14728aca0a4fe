//! The sizes that a terminal had, and the output from which each applies.

use super::file::{read_json, write_json};
use ccd_store::blocking_io;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io;
use std::path::Path;

const MAX_RESIZES: usize = 256;

const FILE: &str = "sizes.json";

/// The sizes that a terminal had.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sizes {
    pub(super) first: (u16, u16),
    /// Changes after the saved screen, if there is one.
    changes: VecDeque<SizeChange>,
    /// Number of changes that are applied to the drawn screen.
    #[serde(skip)]
    drawn_count: usize,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct SizeChange {
    pub(super) offset: u64,
    pub(super) rows: u16,
    pub(super) cols: u16,
}

impl Sizes {
    pub fn new(rows: u16, cols: u16) -> Self {
        Self {
            first: (rows, cols),
            changes: VecDeque::new(),
            drawn_count: 0,
        }
    }

    pub(super) fn are_several(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Sets that the screen is drawn up to this offset, with the changes before it applied.
    pub(super) fn begin_at(&mut self, upto: u64) {
        self.drawn_count = self.changes.partition_point(|change| change.offset < upto);
    }

    /// Returns the next change that is not applied to the drawn screen.
    pub(super) fn next(&self) -> Option<SizeChange> {
        self.changes.get(self.drawn_count).copied()
    }

    /// Notes that the next change is applied to the drawn screen.
    pub(super) fn advance(&mut self) {
        self.drawn_count += 1;
    }

    pub(super) fn push(&mut self, change: SizeChange) {
        if self.changes.len() == MAX_RESIZES {
            // The sizes in between hardly matter any more.
            self.forget_oldest();
        }
        self.changes.push_back(change);
    }

    /// Forgets the changes that are applied to the saved screen.
    pub(super) fn forget_drawn(&mut self) {
        while self.drawn_count > 0 {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(SizeChange { rows, cols, .. }) = self.changes.pop_front() {
            self.first = (rows, cols);
            self.drawn_count = self.drawn_count.saturating_sub(1);
        }
    }
}

/// Writes the sizes into the session's folder.
pub(super) async fn save(folder: &Path, sizes: Sizes) -> io::Result<()> {
    let path = folder.join(FILE);
    blocking_io(move || write_json(&path, &sizes)).await
}

/// Reads the sizes; `None` if the terminal always had the same size, or the file cannot be read.
pub(super) async fn load(folder: &Path) -> Option<Sizes> {
    let path = folder.join(FILE);
    tokio::task::spawn_blocking(move || read_json(&path))
        .await
        .ok()?
}
