//! A recording as it is handed to the next worker. If a worker was killed, the journal is newer than that.

use super::journal::{self, Journal, JournalEntry};
use super::open::{OpenInput, ends_line};
use ccd_text::redact::TypedLines;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::io;
use std::path::PathBuf;

/// What the next worker must know but no file may contain: the last input as it was typed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptRecording {
    pub(super) journal: PathBuf,
    pub(super) redacts: bool,
    pub(super) is_plain: bool,
    pub(super) number: u64,
    pub(super) open: Option<OpenInput>,
    #[serde(default)]
    pub(super) lines: TypedLines,
    /// Hidden input that the session does not know of, because its terminal never echoes.
    #[serde(default)]
    pub(super) secrets: Vec<String>,
    /// Secrets that were recognised by their names.
    #[serde(default)]
    pub(super) recognised: Vec<String>,
}

#[derive(Debug)]
pub struct Resumption {
    pub(super) journal: Journal,
    /// Number of the newest exchange.
    pub(super) number: u64,
    /// Its input, if more may belong to it.
    pub(super) open: Option<OpenInput>,
}

impl Resumption {
    /// Combines the journal and the kept state. Blocks.
    pub fn read(kept: &KeptRecording) -> io::Result<Self> {
        let journal = Journal::resume(kept.journal.clone())?;
        let entries = journal::read(&kept.journal)?;
        let (number, open) = newest(kept, &entries);
        Ok(Self {
            journal,
            number,
            open,
        })
    }

    pub fn offset(&self) -> Option<u64> {
        Some(self.open.as_ref()?.offset)
    }
}

/// Returns the newest exchange's number, and its input if more may belong to it.
fn newest(kept: &KeptRecording, entries: &[JournalEntry]) -> (u64, Option<OpenInput>) {
    let inputs = entries.iter().filter_map(|entry| match entry {
        JournalEntry::Input(input) => Some((input.number, ends_line(&input.bytes))),
        _ => None,
    });
    let (number, has_ended) = inputs.max().unwrap_or_default();
    let open = kept.open.clone();
    let is_newer = match number.cmp(&kept.number) {
        Ordering::Less => false,
        // The kept state contains only half of the line.
        Ordering::Equal => has_ended && open.as_ref().is_some_and(|open| !open.ends_line()),
        Ordering::Greater => true,
    };
    if is_newer {
        (number, None)
    } else {
        (kept.number, open)
    }
}

#[cfg(test)]
mod tests {
    use super::super::journal::InputEntry;
    use super::*;

    fn entry(number: u64, bytes: &[u8], hidden: bool) -> JournalEntry {
        JournalEntry::Input(InputEntry {
            number,
            at_us: 0,
            offset: 7,
            bytes: bytes.to_vec(),
            hidden,
            keys: false,
            private_key: false,
            removed: 0,
            cut_echo: None,
            unfinished: false,
        })
    }

    fn kept(number: u64, raw: Option<&[u8]>) -> KeptRecording {
        let open = raw.map(|raw| {
            let raw = String::from_utf8_lossy(raw);
            serde_json::json!({"at_us": 0, "offset": 7, "raw": raw.as_bytes(), "hidden": false, "keys": true, "is_written": false})
        });
        let kept = serde_json::json!({"journal": "/j", "redacts": true, "is_plain": false, "number": number, "open": open});
        serde_json::from_value(kept).unwrap()
    }

    #[test]
    fn the_journal_is_believed_where_it_is_newer() {
        let lines = [entry(1, b"one\r", false), entry(2, b"two\r", false)];
        let (number, open) = newest(&kept(0, None), &lines);
        assert!(number == 2 && open.is_none());
        // A line that was incomplete in the kept state was completed later.
        let (number, open) = newest(&kept(1, Some(b"on")), &lines[..1]);
        assert!(number == 1 && open.is_none());
        // A program that reads keys has not shown its newest line.
        let (number, open) = newest(&kept(3, Some(b"three\r")), &lines);
        assert_eq!((number, open.unwrap().raw), (3, b"three\r".to_vec()));
        // The first keys of a line are in no file.
        let (number, open) = newest(&kept(3, Some(b"th")), &lines);
        assert_eq!((number, open.unwrap().raw), (3, b"th".to_vec()));
        // A key that the program has answered.
        let (number, open) = newest(&kept(3, Some(b"j")), &[entry(3, b"j", false)]);
        assert_eq!((number, open.unwrap().raw), (3, b"j".to_vec()));
        // A password that was completed after the kept state got its first keys.
        let (number, open) = newest(&kept(1, Some(b"hun")), &[entry(1, b"***\r", true)]);
        assert!(number == 1 && open.is_none());
    }
}
