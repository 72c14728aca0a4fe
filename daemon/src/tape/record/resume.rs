//! Where a recording is after a kill of the process that made it: the journal is newer than what the holder has kept.

use super::journal::{self, Entry, InputEntry, Journal};
use super::kept::{KeptInput, KeptRecording};
use super::open::ends_line;
use std::io;

/// Where a recording goes on.
#[derive(Debug)]
pub(crate) struct Resumption {
    pub(super) journal: Journal,
    /// Of the newest exchange.
    pub(super) number: u64,
    /// Its input, if more may belong to it.
    pub(super) open: Option<KeptInput>,
}

impl Resumption {
    /// Brings the journal and what was kept together. Blocks.
    ///
    /// # Errors
    ///
    /// The journal is gone.
    pub(crate) fn of(kept: &KeptRecording) -> io::Result<Self> {
        let journal = Journal::resume(kept.journal.clone())?;
        let entries = journal::read(&kept.journal)?;
        let (number, open) = newest(kept, &entries);
        Ok(Self {
            journal,
            number,
            open,
        })
    }

    /// From where the output is needed.
    pub(crate) fn offset(&self) -> Option<u64> {
        self.open.as_ref().map(|open| open.offset)
    }
}

/// The newest exchange's number, and its input if more may belong to it.
fn newest(kept: &KeptRecording, entries: &[Entry]) -> (u64, Option<KeptInput>) {
    let inputs = entries.iter().filter_map(|entry| match entry {
        Entry::Input(input) => Some(input),
        _ => None,
    });
    let Some(last) = inputs.max_by_key(|input| input.number) else {
        return (kept.number, kept.open.clone());
    };
    if last.number < kept.number {
        return (kept.number, kept.open.clone());
    }
    let open = kept.open.as_ref().filter(|_| kept.number == last.number);
    if last.undecided && open.is_some() {
        return (kept.number, open.cloned());
    }
    (last.number, open_input(open, last))
}

/// The input that the journal has last, as it was typed.
fn open_input(kept: Option<&KeptInput>, last: &InputEntry) -> Option<KeptInput> {
    if ends_line(&last.bytes) {
        return None;
    }
    let raw = match kept {
        // Its mask says all that may be known.
        _ if last.hidden => Vec::new(),
        Some(kept) if last.removed > 0 || !last.bytes.starts_with(&kept.raw) => kept.raw.clone(),
        _ => last.bytes.clone(),
    };
    Some(KeptInput {
        at_us: last.at_us,
        offset: last.offset,
        raw,
        hidden: last.hidden,
        keys: last.keys,
        is_written: last.hidden,
        needs_no_echo: kept.is_some_and(|kept| kept.needs_no_echo),
        cut_echo: last.cut_echo.clone(),
        private_key: last.private_key,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64, bytes: &[u8], hidden: bool) -> Entry {
        Entry::Input(InputEntry {
            number,
            at_us: 0,
            offset: 7,
            bytes: bytes.to_vec(),
            hidden,
            undecided: false,
            keys: false,
            private_key: false,
            removed: 0,
            cut_echo: None,
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
        // What was half a line when it was kept has been completed.
        let (number, open) = newest(&kept(1, Some(b"on")), &lines[..1]);
        assert!(number == 1 && open.is_none());
        // A program that reads keys has not shown its newest line.
        let (number, open) = newest(&kept(3, Some(b"three\r")), &lines);
        assert_eq!((number, open.unwrap().raw), (3, b"three\r".to_vec()));
        // A key more than was kept.
        let (number, open) = newest(&kept(3, Some(b"th")), &[entry(3, b"thr", false)]);
        assert_eq!((number, open.unwrap().raw), (3, b"thr".to_vec()));
        // The first keys of a password.
        let (number, open) = newest(&kept(0, None), &[entry(1, b"***", true)]);
        let open = open.unwrap();
        assert!(number == 1 && open.hidden && open.raw.is_empty());
    }
}
