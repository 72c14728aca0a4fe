//! The journal of a recording: an append-only file.
//! It does not contain output, but only offsets into the session's raw log, which is kept until the tape is made: the
//! end of a chunk may be half a secret, which no rule finds. For the same reason it contains an input only once it is
//! complete, which is after Enter or after the program's answer. Until then, the input is only in memory, including
//! that of the holder.

use crate::format::Meta;
use crate::format::file::make_folder;
use crate::key::StateHash;
use ccd_protocol::tape::TapeExit;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Directory of the journals, under the root of the tapes.
pub(super) const FOLDER: &str = ".journal";

/// Maximum length of a line that is read back: an input of 16 MiB as base64, and the rest of its entry.
const MAX_LINE_BYTES: u64 = 24 << 20;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JournalEntry {
    /// The first line.
    Begin(Box<Begin>),
    /// Input; it replaces an earlier entry with the same number.
    Input(InputEntry),
    /// A key of an input that is still being typed; its length is 0 if nobody may know it.
    Key {
        number: u64,
        at_us: u64,
        #[serde(default)]
        len_bytes: u64,
    },
    /// A change of the terminal's size.
    Resize { at_us: u64, rows: u16, cols: u16 },
    /// Output: microseconds, offset, length.
    Output(u64, u64, u64),
    /// The program has exited, or was ended.
    End(EndEntry),
}

/// What is recorded, and how.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Begin {
    pub session: String,
    pub options: ccd_protocol::tape::TapeOptions,
    pub meta: Meta,
    pub at_us: u64,
    /// Offset of the first output that is recorded.
    pub offset: u64,
    /// The state of the conversation, if it began on a tape.
    pub state: StateHash,
    /// The first exchange is the start of the program.
    pub is_start: bool,
    /// Secrets that were removed from `meta`.
    #[serde(default)]
    pub removed: u64,
    /// Features that are on.
    #[serde(default)]
    pub flags: Vec<String>,
}

/// An input, without its secrets.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct InputEntry {
    /// Number of the exchange that it opens.
    pub number: u64,
    pub at_us: u64,
    /// Offset of the output at that time.
    pub offset: u64,
    #[serde(with = "super::bytes")]
    pub bytes: Vec<u8>,
    /// The terminal did not echo: the bytes are a mask.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// The program read keys.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keys: bool,
    /// A line of a private key, which is masked in the output too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private_key: bool,
    /// Secrets that were removed.
    #[serde(default)]
    pub removed: u64,
    /// The output before this text contains the secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_echo: Option<String>,
    /// The recording ended before the input was complete.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EndEntry {
    /// The program's exit; `None` if it was ended by somebody else.
    pub exit: Option<TapeExit>,
    pub reason: String,
    /// Offset of the output's end.
    pub offset: u64,
    #[serde(default)]
    pub at_us: u64,
}

#[derive(Debug)]
pub struct Journal {
    file: File,
    pub(super) path: PathBuf,
    /// Length of the complete lines.
    len: u64,
}

impl Journal {
    /// Returns a path that no other journal of the root has. Other daemons may record there, with the same session
    /// names.
    pub fn path_of(root: &Path, session: &str) -> PathBuf {
        let random = rand::random::<u32>();
        root.join(FOLDER)
            .join(format!("{session}-{random:08x}.jsonl"))
    }

    pub fn create(path: PathBuf, begin: Begin) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            make_folder(folder)?;
        }
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        let mut journal = Self { file, path, len: 0 };
        let begun = journal.append(&line_of(&JournalEntry::Begin(Box::new(begin))));
        begun.inspect_err(|_| drop(std::fs::remove_file(&journal.path)))?;
        Ok(journal)
    }

    /// Opens the journal of an earlier process. An incomplete last line is cut off, which needs no disk space.
    pub fn resume(path: PathBuf) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).open(&path)?;
        let lines = std::fs::read(&path)?;
        let len = memchr::memrchr(b'\n', &lines).map_or(0, |end| end + 1);
        if len < lines.len() {
            file.set_len(len as u64)?;
        }
        let len = len as u64;
        Ok(Self { file, path, len })
    }

    /// Appends lines: all of them or none.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(lines);
        match written {
            Ok(()) => self.len += lines.len() as u64,
            // An incomplete line would run into the next one.
            Err(_) => self.file.set_len(self.len)?,
        }
        written
    }
}

pub(super) fn line_of(entry: &JournalEntry) -> Vec<u8> {
    let mut line = serde_json::to_vec(entry).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Reads a journal without an incomplete last line, which a killed process may leave.
pub(super) fn read(path: &Path) -> io::Result<Vec<JournalEntry>> {
    read_from(BufReader::new(File::open(path)?))
}

pub(super) fn read_from(mut lines: impl BufRead) -> io::Result<Vec<JournalEntry>> {
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

/// Returns microseconds of a clock that all processes of the machine share and that is never set.
pub fn now_us() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    (now.tv_sec as u64).saturating_mul(1_000_000) + now.tv_nsec as u64 / 1_000
}
