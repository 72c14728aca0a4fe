//! The copy of one session, or of one of its sub-agents.

use crate::line::Line;
use crate::lines::Lines;
use ccd_store::own_file;
use std::collections::HashMap;
use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// Length of new lines after which they are written.
const BUFFER_BYTES: usize = 16 << 10;

/// A file that lines are added to, each once.
#[derive(Debug)]
pub(super) struct KeptTranscript {
    path: PathBuf,
    /// Lengths of its lines by [`key`].
    known: HashMap<u64, usize>,
    /// New lines that are not written yet.
    new: Vec<u8>,
    added: u64,
}

impl KeptTranscript {
    /// Reads what is there. The start of a line that was not written to its end is removed.
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        let mut known = HashMap::new();
        match own_file::existing(&path) {
            Ok(file) => {
                let mut lines = Lines::default();
                lines.read_to(&file, u64::MAX, &mut |_, _, line| {
                    let len: &mut usize = known.entry(key(&line)).or_default();
                    *len = line.raw.len().max(*len);
                })?;
                file.set_len(lines.offset())?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(Self {
            path,
            known,
            new: Vec::new(),
            added: 0,
        })
    }

    /// Adds a line that is not there, or is longer than there: a stream may repeat a record with more of its text.
    pub(super) fn add(&mut self, line: &Line<'_>) -> io::Result<()> {
        let len = line.raw.len();
        let known = self.known.entry(key(line)).or_default();
        if *known >= len {
            return Ok(());
        }
        *known = len;
        self.added += 1;
        self.new.extend_from_slice(line.raw);
        self.new.push(b'\n');
        if self.new.len() < BUFFER_BYTES {
            return Ok(());
        }
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700).create(folder)?;
        // A long line leaves no room behind: a file may have many sessions.
        let new = std::mem::take(&mut self.new);
        own_file::append(&self.path)?.write_all(&new)
    }

    /// Gives the copy the time of its source, which records without one have in the index, and waits until it is on the disk.
    /// Returns how many lines were added.
    pub(super) fn finish(mut self, source: &fs::Metadata) -> io::Result<u64> {
        if self.added > 0 {
            self.write()?;
            let file = own_file::append(&self.path)?;
            file.set_modified(source.modified()?)?;
            file.sync_all()?;
        }
        Ok(self.added)
    }
}

/// Returns a hash of what makes a line the same as another one: its uuid, else all of it.
fn key(line: &Line<'_>) -> u64 {
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    match &line.uuid {
        Some(uuid) => hasher.hash_one(uuid),
        None => hasher.hash_one(line.raw),
    }
}
