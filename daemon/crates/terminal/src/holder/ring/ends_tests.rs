use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::PathBuf;

use proptest::prelude::*;

use super::super::layout::{MAX_GAPS, RingLayout};
use super::*;

fn put(writer: &mut RingWriter, mut bytes: &[u8]) -> usize {
    let mut taken = 0;
    while !bytes.is_empty() {
        let mut spare = writer.spare();
        let len = spare.write(bytes).unwrap();
        if len == 0 {
            break;
        }
        writer.publish(len);
        bytes = &bytes[len..];
        taken += len;
    }
    taken
}

fn pattern(position: u64) -> u8 {
    (position.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u8
}

/// A new ring: both ends, and its file.
struct NewRing {
    writer: RingWriter,
    ring: Ring,
    path: PathBuf,
    _dir: tempfile::TempDir,
}

impl NewRing {
    fn create() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.ring");
        Self {
            writer: RingWriter::create(&path).unwrap(),
            ring: Ring::open(&path).unwrap(),
            path,
            _dir: dir,
        }
    }

    fn file(&self) -> File {
        File::options().write(true).open(&self.path).unwrap()
    }

    #[track_caller]
    fn assert_is_lost(&self, what: &str) {
        assert!(self.writer.is_lost() && self.ring.is_lost(), "{what}");
    }
}

const OK: Exit = Exit {
    code: Some(0),
    signal: None,
};

#[test]
fn a_new_ring_is_private_empty_and_alive() {
    let NewRing { ring, path, .. } = &NewRing::create();
    let metadata = std::fs::metadata(path).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    // It has all its memory: a full file system is noticed now.
    assert!(metadata.blocks() * 512 >= RING_BYTES as u64);
    let state = (ring.head(), ring.tail(), ring.eof(), ring.status());
    assert_eq!(state, (0, 0, false, None));
    assert!(ring.bytes(0).is_empty());
    let again = RingWriter::create(path).unwrap_err();
    assert!(again.to_string().contains("a.ring"), "{again}");
}

#[test]
fn a_full_ring_takes_nothing_and_asks_to_be_told() {
    let mut new = NewRing::create();
    let (writer, ring) = (&mut new.writer, &mut new.ring);
    assert!(!writer.wait_for_space(), "an empty ring has room");
    assert_eq!(put(writer, &vec![7; RING_BYTES + 5]), RING_BYTES);
    assert!(writer.spare().is_empty());
    assert!(writer.wait_for_space());
    assert!(ring.set_tail(1), "the holder said that it waits");
    assert!(!ring.set_tail(2), "it is told once");
    assert_eq!(put(writer, &[8; 5]), 2);
    assert_eq!(ring.bytes(0).len(), RING_BYTES);
    assert_eq!(ring.bytes(RING_BYTES as u64), [8, 8]);
}

#[test]
fn positions_out_of_range_are_clamped() {
    let NewRing {
        mut writer,
        mut ring,
        ..
    } = NewRing::create();
    put(&mut writer, b"hello");
    assert!(ring.bytes(99).is_empty());
    for (tail, clamped) in [(3, 3), (1, 3), (99, 5)] {
        assert!(!ring.set_tail(tail));
        assert_eq!(ring.tail(), clamped);
        assert_eq!(ring.bytes(0), &b"hello"[clamped as usize..]);
    }
}

#[test]
fn what_was_read_and_noted_is_there_after_the_process_is_gone() {
    let NewRing {
        mut writer,
        mut ring,
        path,
        _dir,
    } = NewRing::create();
    put(&mut writer, b"logged, not logged");
    assert!(!ring.set_tail(8));
    ring.set_cursor(3);
    ring.set_log_base(2);
    ring.set_output_lines(17);
    ring.add_gap(Gap { offset: 4, len: 2 });
    writer.set_status(0x0900);
    writer.set_eof(true);
    drop((writer, ring));
    let ring = Ring::open(&path).unwrap();
    assert_eq!(ring.bytes(0), b"not logged");
    let noted = (ring.cursor(), ring.log_base(), ring.output_lines());
    assert_eq!(noted, (3, 2, 17));
    assert_eq!(ring.gaps(), [Gap { offset: 4, len: 2 }]);
    assert_eq!(ring.status().map(|exit| exit.code), Some(Some(9)));
    assert!(ring.eof());
    Ring::remove(&path).unwrap();
    Ring::remove(&path).unwrap();
    assert!(!path.exists());
}

#[test]
fn a_damaged_file_is_refused() {
    let refusal = |path: &Path| {
        let error = Ring::open(path).unwrap_err();
        assert!(matches!(error, RingError::Refused { .. }), "{error}");
        error.to_string()
    };
    let head = std::mem::offset_of!(RingLayout, head) as u64;
    let tail = std::mem::offset_of!(RingLayout, tail) as u64;
    for (offset, bytes, reason) in [
        (0, &b"CCD"[..], "start"),
        (8, &99_u32.to_ne_bytes(), "version"),
        (12, &4096_u32.to_ne_bytes(), "capacity"),
        (head, &(RING_BYTES as u64 + 1).to_ne_bytes(), "positions"),
        (tail, &1_u64.to_ne_bytes(), "positions"),
    ] {
        let new = NewRing::create();
        new.file().write_all_at(bytes, offset).unwrap();
        let refused = refusal(&new.path);
        assert!(refused.contains(reason), "{refused}");
    }
    let NewRing { path, _dir, .. } = NewRing::create();
    std::fs::write(&path, b"short").unwrap();
    refusal(&path);
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(Ring::open(&path), Err(RingError::File { .. })));
}

#[test]
fn gaps_that_touch_become_one_and_the_last_place_grows() {
    let mut ring = NewRing::create().ring;
    ring.add_gap(Gap { offset: 10, len: 5 });
    ring.add_gap(Gap { offset: 15, len: 1 });
    assert_eq!(ring.gaps(), [Gap { offset: 10, len: 6 }]);
    for place in 1..=MAX_GAPS as u64 + 1 {
        let offset = place * 100;
        ring.add_gap(Gap { offset, len: 1 });
    }
    let gaps = ring.gaps();
    assert_eq!(gaps.len(), MAX_GAPS);
    let (offset, len) = (6300, 201);
    assert_eq!(gaps[MAX_GAPS - 1], Gap { offset, len });
    let found_later = [Gap { offset: 0, len: 2 }, Gap { offset: 10, len: 6 }];
    ring.set_gaps(&found_later);
    assert_eq!(ring.gaps(), found_later);
}

#[test]
fn a_signal_is_not_an_exit_code() {
    assert_eq!(exit_of(0), OK);
    for (wait_status, signal) in [(9, 9), (0x80 | 11, 11)] {
        let (code, signal) = (None, Some(signal));
        assert_eq!(exit_of(wait_status), Exit { code, signal });
    }
}

#[test]
fn a_ring_whose_file_is_truncated_is_lost_and_ends_nothing() {
    // Nothing is left, a part of the header, the header, and some data.
    for (len, reads_first) in [0, 100, 4096, 70_000]
        .into_iter()
        .flat_map(|len| [(len, true), (len, false)])
    {
        let mut new = NewRing::create();
        put(&mut new.writer, &[7; 10_000]);
        new.file().set_len(len).unwrap();
        if reads_first {
            let last = new.ring.bytes(0).last().copied();
            assert!([None, Some(0)].contains(&last), "{len}: {last:?}");
        } else {
            new.writer.spare().fill(8);
            new.writer.publish(1);
        }
        new.assert_is_lost(&format!("{len} {reads_first}"));
        let _ = new.ring.set_tail(9);
        new.ring.add_gap(Gap { offset: 1, len: 2 });
        new.writer.set_status(0);
        let refused = Ring::open(&new.path).unwrap_err();
        assert!(matches!(refused, RingError::Refused { .. }), "{refused}");
    }
}

#[test]
fn a_ring_that_is_overwritten_is_lost_and_ends_nothing() {
    for (offset, len) in [(0, 4096), (0, 128), (64, 200), (128, 64), (0, 300_000)] {
        let what = format!("{offset} {len}");
        let mut new = NewRing::create();
        put(&mut new.writer, &[7; 10_000]);
        new.file().write_all_at(&vec![0xff; len], offset).unwrap();
        new.assert_is_lost(&what);
        assert_eq!(new.ring.status(), None);
        assert!(new.ring.bytes(0).len() <= RING_BYTES);
        assert!(new.ring.gaps().len() <= MAX_GAPS);
        new.ring.add_gap(Gap { offset: 1, len: 2 });
        let _ = new.ring.set_tail(9);
        new.writer.spare().fill(8);
        new.writer.publish(5);
        new.assert_is_lost(&what);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn two_threads_pass_every_byte_on(
        writes in prop::collection::vec(1_usize..60_000, 1..25),
        reads in prop::collection::vec(1_u64..90_000, 1..20),
    ) {
        let NewRing { mut writer, mut ring, .. } = NewRing::create();
        let total: u64 = writes.iter().map(|len| *len as u64).sum();
        let feeder = std::thread::spawn(move || {
            let mut position = 0;
            for len in writes {
                let chunk: Vec<u8> = (position..position + len as u64).map(pattern).collect();
                let mut written = 0;
                while written < len {
                    written += put(&mut writer, &chunk[written..]);
                    std::thread::yield_now();
                }
                position += len as u64;
            }
        });
        let mut position = 0;
        let mut steps = reads.iter().cycle();
        while position < total {
            let bytes = ring.bytes(position);
            let wrong = bytes.iter().zip(position..).position(|(byte, at)| *byte != pattern(at));
            prop_assert_eq!(wrong, None);
            position = (position + steps.next().unwrap()).min(ring.head());
            let _ = ring.set_tail(position);
            std::thread::yield_now();
        }
        feeder.join().unwrap();
        prop_assert_eq!(ring.head(), total);
    }
}

#[test]
fn a_note_is_the_last_one_that_was_whole() {
    let NewRing { ring, path, .. } = &NewRing::create();
    assert!(ring.note().is_empty());
    for round in 0..5_u8 {
        ring.set_note(&[round; 7]);
        assert_eq!(Ring::open(path).unwrap().note(), [round; 7]);
    }
    ring.set_note(&[9; 100]);
    assert_eq!(ring.note(), [9; 63]);
}

#[test]
#[cfg(not(portable))]
fn a_ring_whose_file_was_removed_is_put_back_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rings/a.ring");
    std::fs::create_dir(dir.path().join("rings")).unwrap();
    let mut writer = RingWriter::create(&path).unwrap();
    let mut ring = Ring::open(&path).unwrap();
    let all: Vec<u8> = (0..2 * RING_BYTES as u64).map(pattern).collect();
    let (first, second) = all.split_at(RING_BYTES);
    put(&mut writer, first);
    let tail = RING_BYTES as u64 - 100_000;
    let _ = ring.set_tail(tail);
    let len = put(&mut writer, second);
    ring.set_note(b"note");
    std::fs::remove_dir_all(dir.path().join("rings")).unwrap();
    drop(ring);
    writer.put_back(&path).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    let mut ring = Ring::open(&path).unwrap();
    assert_eq!(ring.bytes(0), &all[tail as usize..RING_BYTES + len]);
    assert_eq!(ring.note(), b"note");
    let _ = ring.set_tail(ring.head());
    put(&mut writer, b"more");
    assert_eq!(ring.bytes(0), b"more");
    writer.put_back(&path).unwrap();
    assert_eq!(ring.bytes(0), b"more", "its file is still the same");
}

#[test]
#[cfg(not(portable))]
fn a_ring_that_was_truncated_and_removed_keeps_no_worker_from_starting() {
    for len in [0, 4096] {
        let mut new = NewRing::create();
        put(&mut new.writer, &[7; 10_000]);
        new.file().set_len(len).unwrap();
        std::fs::remove_file(&new.path).unwrap();
        new.writer.put_back(&new.path).unwrap();
        assert!(Ring::open(&new.path).is_err(), "{len}");
    }
}
