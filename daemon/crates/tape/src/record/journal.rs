//! What is recorded, on its way to the tape: a file that is only ever appended to.
//!
//! It has no output, only where that stands in the session's raw log, which stays until the tape is made: the end of a
//! chunk may be half a secret, which no rule finds. For the same reason it has an input when that is complete, with its
//! Enter or when the program has answered it; till then memory alone has it, that of the holder too.

use crate::format::Meta;
use crate::key::StateHash;
use ccd_protocol::tape::TapeExit;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Folder of the journals, below the root of the tapes.
pub(super) const FOLDER: &str = ".journal";

/// Longest line that is read back: an input of 16 MiB as base64, and what stands around it.
const MAX_LINE_BYTES: u64 = 24 << 20;

/// Bytes that are looked at for the end of the last line at a time.
const BLOCK_BYTES: usize = 4 << 10;

/// A line of the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    /// The first line.
    Begin(Box<Begin>),
    /// Input; one with a number that was there before takes its place.
    Input(InputEntry),
    /// A key of an input that is still being typed.
    Key { number: u64, at_us: u64 },
    /// Output: microseconds, offset, length.
    Output(u64, u64, u64),
    /// The program has ended, or somebody has ended it.
    End(EndEntry),
}

/// What is recorded and how.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Begin {
    pub session: String,
    pub options: ccd_protocol::tape::TapeOptions,
    pub meta: Meta,
    pub at_us: u64,
    /// Offset of the first output that is recorded.
    pub offset: u64,
    /// What was typed before: of a conversation that a tape has begun.
    pub state: StateHash,
    /// The first exchange is the program's start.
    pub is_start: bool,
    /// Secrets that were removed from `meta`.
    #[serde(default)]
    pub removed: u64,
}

/// Something that was typed, without its secrets.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct InputEntry {
    /// Of the exchange that it opens.
    pub number: u64,
    pub at_us: u64,
    /// Where the output stood.
    pub offset: u64,
    #[serde(with = "super::bytes")]
    pub bytes: Vec<u8>,
    /// The terminal did not echo: the bytes are a mask.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// The program read keys.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keys: bool,
    /// A line of a private key: where the program shows it, it goes too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private_key: bool,
    /// Secrets that were removed.
    #[serde(default)]
    pub removed: u64,
    /// Of the output, what comes before this shows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_echo: Option<String>,
    /// The recording ended before it did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
}

/// How it ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EndEntry {
    /// The program's own end; `None` when somebody else has ended it.
    pub exit: Option<TapeExit>,
    /// Why the session ended.
    pub reason: String,
    /// Offset of the output's end.
    pub offset: u64,
}

/// The file while it is written.
#[derive(Debug)]
pub struct Journal {
    file: File,
    pub(super) path: PathBuf,
    /// Of whole lines.
    len: u64,
}

impl Journal {
    /// A path that no other journal of the root has: other daemons may record there, and name sessions alike.
    pub fn path_of(root: &Path, session: &str) -> PathBuf {
        let random = rand::random::<u32>();
        root.join(FOLDER)
            .join(format!("{session}-{random:08x}.jsonl"))
    }

    /// Begins a journal.
    ///
    /// # Errors
    ///
    /// The root cannot be written to.
    pub fn create(path: PathBuf, begin: Begin) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        let mut journal = Self { file, path, len: 0 };
        let begun = journal.append(&line_of(&Entry::Begin(Box::new(begin))));
        if begun.is_err() {
            let _ = std::fs::remove_file(&journal.path);
        }
        begun.map(|()| journal)
    }

    /// Goes on with a journal of an earlier process. Half a line at its end goes: that takes no room, which there may
    /// not be.
    ///
    /// # Errors
    ///
    /// It is gone.
    pub fn resume(path: PathBuf) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).read(true).open(&path)?;
        let end = file.metadata()?.len();
        let mut len = end;
        let mut block = [0; BLOCK_BYTES];
        while len > 0 {
            let start = len.saturating_sub(BLOCK_BYTES as u64);
            let block = &mut block[..usize::try_from(len - start).unwrap_or(0)];
            file.read_exact_at(block, start)?;
            if let Some(at) = memchr::memrchr(b'\n', block) {
                len = start + at as u64 + 1;
                break;
            }
            len = start;
        }
        if len < end {
            file.set_len(len)?;
        }
        Ok(Self { file, path, len })
    }

    /// Appends lines, all or none.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(lines);
        match written {
            Ok(()) => self.len += lines.len() as u64,
            // Half a line would be taken for one with what comes later.
            Err(_) => self.file.set_len(self.len)?,
        }
        written
    }
}

/// An entry as a line.
pub(super) fn line_of(entry: &Entry) -> Vec<u8> {
    let mut line = serde_json::to_vec(entry).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Reads a journal; half a line is left out, as a kill leaves one.
///
/// # Errors
///
/// The file cannot be read.
pub(super) fn read(path: &Path) -> io::Result<Vec<Entry>> {
    read_from(BufReader::new(File::open(path)?))
}

/// The entries of lines.
///
/// # Errors
///
/// They cannot be read.
pub(super) fn read_from(mut lines: impl BufRead) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let len = io::Read::take(&mut lines, MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
        if len == 0 {
            return Ok(entries);
        }
        if let Ok(entry) = serde_json::from_slice(&line) {
            entries.push(entry);
        }
    }
}

/// Microseconds of a clock that all processes of the machine share and nobody sets.
pub fn now_us() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    (now.tv_sec as u64).saturating_mul(1_000_000) + now.tv_nsec as u64 / 1_000
}
