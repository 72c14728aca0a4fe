use super::*;

fn read_all(dir: &Path, end: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < end {
        match read(dir, bytes.len() as u64, 7, end).unwrap() {
            Logged::Bytes(more) => bytes.extend(more),
            Logged::Missing { resume } => bytes.resize(usize::try_from(resume).unwrap(), b'?'),
        }
    }
    bytes
}

#[test]
fn rotation_keeps_every_byte_at_its_offset() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("s");
    let mut writer = LogWriter::new(dir.clone(), 0, 10);
    for number in 0..20u64 {
        writer.append(number * 4, b"abcd").unwrap();
    }
    assert_eq!(writer.end(), 80);
    assert_eq!(read_all(&dir, 80), b"abcd".repeat(20));
    // Appended data is split at the end of a file.
    let lengths: Vec<u64> = segments(&dir)
        .unwrap()
        .iter()
        .map(|file| file.len)
        .collect();
    assert_eq!(lengths, [10; 8]);
    let again = LogWriter::resume(dir.clone(), 0, 10).unwrap();
    assert_eq!(again.end(), 80);
}

#[test]
fn a_gap_starts_a_new_file_behind_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("s");
    let mut writer = LogWriter::new(dir.clone(), 0, 1000);
    writer.append(0, b"before").unwrap();
    writer.append(10, b"after").unwrap();
    assert_eq!(read_all(&dir, 15), b"before????after");
    assert_eq!(LogWriter::resume(dir, 0, 1000).unwrap().end(), 15);
}

#[test]
fn only_what_is_in_no_file_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("s");
    let mut writer = LogWriter::new(dir.clone(), 0, 4);
    for number in 0..5u64 {
        writer.append(number * 4, b"abcd").unwrap();
    }
    writer.drop_oldest(16).unwrap();
    fs::remove_file(rotated(&dir, 8)).unwrap();
    fs::remove_file(current_path(&dir)).unwrap();
    writer.append(20, b"here").unwrap();
    assert_eq!(writer.take_lost(), [8..12, 16..20]);
}

#[test]
fn reading_beside_rotation_finds_the_right_bytes_or_none() {
    const PIECE: u64 = 8;
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("s");
    let mut writer = LogWriter::new(dir.clone(), 0, PIECE * 2);
    writer.append(0, &0_u64.to_le_bytes()).unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..3000_u64 {
                writer
                    .append(number * PIECE, &number.to_le_bytes())
                    .unwrap();
                writer.drop_oldest(PIECE * 6).unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::SeqCst);
        });
        let mut at = 0;
        while !done.load(std::sync::atomic::Ordering::SeqCst) {
            match read(&dir, at, PIECE as usize, u64::MAX).unwrap() {
                Logged::Bytes(bytes) if bytes.len() as u64 == PIECE => {
                    assert_eq!(bytes, (at / PIECE).to_le_bytes());
                    at += PIECE;
                }
                Logged::Missing { resume } if resume < u64::MAX => at = resume,
                Logged::Bytes(_) | Logged::Missing { .. } => {}
            }
        }
    });
}
