//! Rings that another program has emptied, by cutting their file short or overwriting it.
//!
//! Whoever reads the terminal finds the header gone, and begins again where it was, with nothing in the ring
//! ([`RingWriter::held`]). The worker then puts back what it keeps in the header ([`Ring::restore`]). A worker that has
//! to adopt the session before that cannot: the ring is refused.

use std::sync::atomic::Ordering::SeqCst;

use super::ring::{Ring, RingWriter};
use super::ring_layout::{Gap, RING_BYTES};

/// What the worker keeps in a ring for the next one.
#[derive(Debug)]
pub struct Kept<'a> {
    pub log_base: u64,
    pub output_lines: u64,
    pub cursor: u64,
    pub answered: u64,
    pub note: &'a [u8],
    pub gaps: &'a [Gap],
}

impl Ring {
    /// Returns false once the ring was emptied, until [`Ring::restore`].
    pub fn is_whole(&self) -> bool {
        self.layout().is_whole()
    }

    /// Returns where an emptied ring begins again: all output before that which was not taken is lost. `None` before
    /// the reader of the terminal has noticed.
    pub fn begins_again_at(&self) -> Option<u64> {
        let begins_again = self.layout().begins_again();
        begins_again.then(|| self.layout().tail.load(SeqCst))
    }

    /// Puts back what was kept in an emptied ring.
    pub fn restore(&mut self, kept: &Kept<'_>) {
        self.set_log_base(kept.log_base);
        self.set_output_lines(kept.output_lines);
        self.set_cursor(kept.cursor);
        self.set_answered(kept.answered);
        self.set_note(kept.note);
        self.set_gaps(kept.gaps);
        self.layout().set_whole();
    }
}

impl RingWriter {
    /// Returns how many bytes are in the ring. Begins again if it was emptied.
    pub(super) fn held(&mut self) -> u64 {
        self.seen = self.head();
        if self.layout().is_emptied() {
            self.layout().begin_again(self.seen);
            self.forget_memory();
            self.was_emptied = true;
        }
        let held = self.seen.checked_sub(self.layout().tail.load(SeqCst));
        // If it is emptied at this moment, there is no room until the next look.
        held.map_or(RING_BYTES as u64, |held| held.min(RING_BYTES as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ring::RingError;
    use super::*;
    use std::fs::File;
    use std::os::unix::fs::FileExt as _;
    use std::path::PathBuf;

    fn create(folder: &tempfile::TempDir) -> (PathBuf, RingWriter, Ring) {
        let path = folder.path().join("a.ring");
        let writer = RingWriter::create(&path).unwrap();
        let ring = Ring::open(&path).unwrap();
        (path, writer, ring)
    }

    fn put(writer: &mut RingWriter, bytes: &[u8]) {
        while writer.spare().is_err() {}
        writer.spare().unwrap()[..bytes.len()].copy_from_slice(bytes);
        writer.publish(bytes.len());
    }

    #[test]
    fn a_ring_whose_file_is_cut_short_begins_again_where_it_was() {
        for len in [0, 100, 70_000] {
            let folder = tempfile::tempdir().unwrap();
            let (path, mut writer, mut ring) = create(&folder);
            put(&mut writer, &[7; 10_000]);
            ring.set_log_base(5);
            let file = File::options().write(true).open(&path).unwrap();
            file.set_len(len).unwrap();
            let last = ring.bytes(0).last().copied();
            assert!([None, Some(0)].contains(&last), "{len}: {last:?}");
            assert!(!ring.is_whole());
            assert_eq!(ring.begins_again_at(), None);
            assert!(ring.set_tail(9), "the holder looks at it");
            assert!(ring.bytes(0).is_empty());

            put(&mut writer, b"after");
            assert_eq!(ring.begins_again_at(), Some(10_000));
            assert_eq!(ring.bytes(10_000), b"after");
            let refused = Ring::open(&path).unwrap_err();
            assert!(matches!(refused, RingError::Refused { .. }), "{refused}");
            let gaps = [Gap { offset: 3, len: 4 }];
            ring.restore(&Kept {
                log_base: 5,
                output_lines: 6,
                cursor: 7,
                answered: 8,
                note: b"note",
                gaps: &gaps,
            });
            assert!(ring.is_whole() && !ring.set_tail(10_002));
            let next = Ring::open(&path).unwrap();
            assert_eq!(next.bytes(0), b"ter");
            assert_eq!((next.log_base(), next.output_lines()), (5, 6));
            assert_eq!((next.cursor(), next.answered()), (7, 8));
            assert_eq!(
                (next.note(), next.gaps()),
                (b"note".to_vec(), gaps.to_vec())
            );
        }
    }

    #[test]
    fn a_ring_that_is_overwritten_begins_again_where_it_was() {
        for (offset, len) in [(0, 4096), (0, 128), (64, 200), (128, 64), (0, 300_000)] {
            let folder = tempfile::tempdir().unwrap();
            let (path, mut writer, mut ring) = create(&folder);
            put(&mut writer, &[7; 10_000]);
            let file = File::options().write(true).open(&path).unwrap();
            file.write_all_at(&vec![0xff; len], offset).unwrap();
            assert!(!ring.is_whole(), "{offset} {len}");
            assert_eq!(ring.status(), None);
            assert!(ring.bytes(0).is_empty());
            assert!(ring.gaps().len() <= 64);
            ring.add_gap(Gap { offset: 1, len: 2 });

            put(&mut writer, b"after");
            assert_eq!(ring.begins_again_at(), Some(10_000));
            assert_eq!(ring.bytes(10_000), b"after");
            ring.restore(&Kept {
                log_base: 0,
                output_lines: 0,
                cursor: 0,
                answered: 0,
                note: b"",
                gaps: &[],
            });
            assert_eq!(ring.gaps(), []);
            assert_eq!(Ring::open(&path).unwrap().bytes(0), b"after");
            writer.set_status(0x100);
            assert_eq!(ring.status().unwrap().code, Some(1));
        }
    }

    #[test]
    fn a_full_ring_that_is_emptied_has_room() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut writer, ring) = create(&folder);
        while !writer.is_full() {
            let len = writer.spare().unwrap().len();
            writer.publish(len);
        }
        assert!(writer.wait_for_space());
        drop(File::create(&path).unwrap());
        assert!(!writer.is_full());
        assert_eq!(ring.begins_again_at(), Some(RING_BYTES as u64));
    }

    #[test]
    fn an_emptied_ring_without_a_file_ends_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut writer, ring) = create(&folder);
        put(&mut writer, b"before");
        drop(File::create(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        assert!(writer.spare().is_err(), "there is no memory for it");
        assert!(!ring.is_whole());
        assert!(ring.bytes(0).is_empty());
    }
}
