//! The copy of one session, or of one of its sub-agents.

use crate::lines::Lines;
use ccd_store::own_file;
use std::collections::HashMap;
use std::fs::{self, DirBuilder, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// A line, with its uuid.
pub(super) type KeptLine = (Option<String>, Vec<u8>);

/// A file that lines are added to, each once.
#[derive(Debug)]
pub(super) struct KeptTranscript {
    path: PathBuf,
    /// Lengths of its lines by [`key`]: 32 bytes a line.
    known: HashMap<u128, u64>,
    pub(super) added: u64,
}

impl KeptTranscript {
    /// Reads what is there. The start of a line that was not written to its end is removed.
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        let mut kept = Self {
            path,
            known: HashMap::new(),
            added: 0,
        };
        let file = match own_file::existing(&kept.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(kept),
            Err(error) => return Err(error),
        };
        let mut lines = Lines::default();
        lines.read_to(&file, u64::MAX, &mut |_, len, line| {
            kept.note(key(line.uuid.as_deref(), line.raw), len);
        })?;
        file.set_len(lines.offset())?;
        Ok(kept)
    }

    /// Adds lines that are not there, or are longer than there: a stream may repeat a record with more of its text.
    pub(super) fn add(&mut self, lines: &[KeptLine]) -> io::Result<()> {
        let mut new = Vec::new();
        for (uuid, bytes) in lines {
            let len = bytes.len() as u64;
            let key = key(uuid.as_deref(), bytes);
            if self.known.get(&key).is_none_or(|known| *known < len) {
                self.note(key, len);
                self.added += 1;
                new.extend_from_slice(bytes);
                new.push(b'\n');
            }
        }
        if new.is_empty() {
            return Ok(());
        }
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700).create(folder)?;
        self.append()?.write_all(&new)
    }

    /// Sets the time of the copy, which records without one have in the index, and waits until it is on the disk.
    pub(super) fn finish(&self, source: &fs::Metadata) -> io::Result<()> {
        if self.added == 0 {
            return Ok(());
        }
        let file = self.append()?;
        file.set_modified(source.modified()?)?;
        file.sync_all()
    }

    fn append(&self) -> io::Result<File> {
        own_file::append(&self.path)
    }

    fn note(&mut self, key: u128, len: u64) {
        let known = self.known.entry(key).or_default();
        *known = len.max(*known);
    }
}

/// Returns what makes a line the same as another one: its uuid, else all of it.
fn key(uuid: Option<&str>, bytes: &[u8]) -> u128 {
    let hash = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        match uuid {
            Some(uuid) => uuid.hash(&mut hasher),
            None => bytes.hash(&mut hasher),
        }
        hasher.finish()
    };
    u128::from(hash(0)) << 64 | u128::from(hash(1))
}
