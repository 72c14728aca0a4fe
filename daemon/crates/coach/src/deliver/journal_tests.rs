use super::*;
use std::os::unix::fs::PermissionsExt as _;

fn delivery(number: usize, len: usize) -> Delivery {
    Delivery {
        id: format!("{number:032x}"),
        at: "2026-01-01T00:00:00.000Z".into(),
        payload: vec![b'x'; len],
        took_ms: (number % 2 == 1).then_some(0.25),
    }
}

fn ids(deliveries: &[Delivery]) -> Vec<usize> {
    let number = |one: &Delivery| usize::from_str_radix(&one.id, 16).unwrap();
    deliveries.iter().map(number).collect()
}

#[test]
fn what_was_appended_is_read_once_in_order_and_again_after_a_restart_unless_it_was_processed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("hooks");
    let (journal, mut reader) = Journal::open(&folder).unwrap();
    for number in 0..5 {
        journal.append(&delivery(number, 10)).unwrap();
    }
    assert_eq!(ids(&reader.next(1).unwrap()), [0]);
    assert_eq!(ids(&reader.next(1 << 20).unwrap()), [1, 2, 3, 4]);
    assert_eq!(ids(&reader.next(1).unwrap()), [0; 0]);
    reader.go_back();
    assert_eq!(reader.next(1 << 20).unwrap()[3], delivery(3, 10));
    assert!(journal.waiting_bytes() > 0);
    reader.go_back();
    reader.next(1).unwrap();
    reader.processed().unwrap();
    drop((journal, reader));

    let (journal, mut reader) = Journal::open(&folder).unwrap();
    assert!(reader.has_more());
    assert_eq!(ids(&reader.next(1 << 20).unwrap()), [1, 2, 3, 4]);
    reader.processed().unwrap();
    assert_eq!(journal.waiting_bytes(), 0);
    assert!(!reader.has_more());
    let left = file_starts(&folder).unwrap();
    assert_eq!(left.len(), 1);
    let left = fs::metadata(path_of(&folder, left[0])).unwrap();
    assert_eq!(left.len(), 0, "nothing is left of the payloads");
    let mode = left.permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
}

#[test]
fn a_record_that_was_cut_short_is_removed_and_the_next_one_follows_the_last_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    for cut in [1, 4, 7, 8, 9, 40] {
        let folder = folder.path().join(cut.to_string());
        let (journal, reader) = Journal::open(&folder).unwrap();
        journal.append(&delivery(0, 10)).unwrap();
        let whole = journal.waiting_bytes();
        journal.append(&delivery(1, 10)).unwrap();
        drop((journal, reader));
        let file = File::options()
            .write(true)
            .open(path_of(&folder, 0))
            .unwrap();
        file.set_len(whole + cut).unwrap();

        let (journal, mut reader) = Journal::open(&folder).unwrap();
        journal.append(&delivery(2, 10)).unwrap();
        assert_eq!(ids(&reader.next(1 << 20).unwrap()), [0, 2], "{cut}");
    }
}

#[test]
fn files_are_removed_once_all_of_their_records_were_processed() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, mut reader) = Journal::open(folder.path()).unwrap();
    let count = 2 * (FILE_BYTES as usize >> 20) + 3;
    for number in 0..count {
        journal.append(&delivery(number, 1 << 20)).unwrap();
    }
    assert_eq!(file_starts(folder.path()).unwrap().len(), 3);
    let mut read = Vec::new();
    while reader.has_more() {
        read.extend(ids(&reader.next(3 << 20).unwrap()));
        reader.processed().unwrap();
    }
    assert_eq!(read, (0..count).collect::<Vec<_>>());
    assert_eq!(file_starts(folder.path()).unwrap().len(), 1);
    drop((journal, reader));
    let (journal, mut reader) = Journal::open(folder.path()).unwrap();
    journal.append(&delivery(7, 1)).unwrap();
    assert_eq!(ids(&reader.next(1).unwrap()), [7]);
}

#[test]
fn a_full_journal_refuses_and_accepts_again_once_something_was_processed() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, mut reader) = Journal::open(folder.path()).unwrap();
    let big = delivery(0, 16 << 20);
    for _ in 0..3 {
        journal.append(&big).unwrap();
    }
    let refused = journal.append(&big).unwrap_err();
    assert!(matches!(refused, JournalError::Full), "{refused}");
    assert_eq!(reader.next(1).unwrap().len(), 1);
    reader.processed().unwrap();
    journal.append(&big).unwrap();
}

#[test]
fn records_survive_a_restart_though_the_directory_was_removed() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("hooks");
    let (journal, mut reader) = Journal::open(&folder).unwrap();
    journal.append(&delivery(0, 10)).unwrap();
    assert_eq!(ids(&reader.next(1 << 20).unwrap()), [0]);
    reader.processed().unwrap();
    journal.append(&delivery(1, 10)).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    journal.append(&delivery(2, 10)).unwrap();
    assert_eq!(ids(&reader.next(1).unwrap()), [1]);
    assert_eq!(ids(&reader.next(1 << 20).unwrap()), [2]);
    drop((journal, reader));
    let (journal, mut reader) = Journal::open(&folder).unwrap();
    assert_eq!(ids(&reader.next(1 << 20).unwrap()), [1, 2]);
    fs::remove_dir_all(&folder).unwrap();
    reader.processed().unwrap();
    journal.append(&delivery(3, 10)).unwrap();
    assert_eq!(ids(&reader.next(1 << 20).unwrap()), [3]);
    drop((journal, reader));
    let (_journal, mut reader) = Journal::open(&folder).unwrap();
    assert_eq!(ids(&reader.next(1 << 20).unwrap()), [3]);
}
