//! Keeping of a payload that no daemon took; `ccd_protocol::hook::spool` describes the files.

use super::delivery::Delivery;
use ccd_protocol::hook::spool::{FileName, LIMIT_FILES, LOST};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Writes the payload to a file of its own, or counts it as lost. All payloads together have at most `limit_bytes`.
pub(super) fn keep(folder: &Path, delivery: &Delivery, limit_bytes: u64) {
    if write(folder, delivery, limit_bytes).is_err() {
        // One byte for each loss. If this fails as well, for example without a writable home, nothing is left to do.
        let _ = options()
            .append(true)
            .open(folder.join(LOST))
            .and_then(|mut lost| lost.write_all(b"."));
    }
}

fn write(folder: &Path, delivery: &Delivery, limit_bytes: u64) -> io::Result<()> {
    let parts = delivery.parts();
    let len_bytes = parts.iter().map(|part| part.len() as u64).sum();
    let name = FileName::new(delivery.at, len_bytes);
    let (files, bytes) = used(folder);
    if files >= LIMIT_FILES || bytes.saturating_add(len_bytes) > limit_bytes {
        return Err(ErrorKind::StorageFull.into());
    }
    let unfinished = folder.join(name.unfinished());
    let mut file = create(&unfinished)?;
    let written = file
        .write_all(parts.concat().as_bytes())
        .and_then(|()| fs::rename(&unfinished, folder.join(name.to_string())));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// Returns the number of the payloads in the directory, finished or not, and their bytes.
fn used(folder: &Path) -> (u64, u64) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| FileName::parse_any(entry.file_name().to_str()?));
    names.fold((0, 0), |(files, bytes), name| {
        (files + 1, bytes.saturating_add(name.len_bytes))
    })
}

/// Creates a file, and before the first one the directory.
fn create(path: &Path) -> io::Result<File> {
    let mut options = options();
    options.write(true).create_new(true);
    match options.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let folder = path.parent().unwrap_or(path);
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
            options.open(path)
        }
        opened => opened,
    }
}

fn options() -> OpenOptions {
    let mut options = File::options();
    options.create(true).mode(0o600);
    options
}

#[cfg(test)]
mod tests {
    use super::super::payload::Payload;
    use super::*;
    use ccd_protocol::hook::HookPostParams;
    use ccd_protocol::hook::spool::LIMIT_BYTES;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;
    use std::time::{Duration, SystemTime};

    fn delivery(ns: u64) -> Delivery {
        let payload = Payload::of(format!("{{\"n\":{ns}}}").into()).unwrap();
        Delivery::of(
            payload,
            SystemTime::UNIX_EPOCH + Duration::from_nanos(ns),
            None,
        )
    }

    fn spool() -> (tempfile::TempDir, PathBuf) {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("base/spool");
        (base, folder)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        let mut names: Vec<_> = entries.map(|entry| name(entry).unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn payloads_are_kept_in_order_for_the_daemon_alone() {
        let (_base, folder) = spool();
        for ns in [2_000_000_000, 3, 700_000_000_000_000_000] {
            keep(&folder, &delivery(ns), LIMIT_BYTES);
        }
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(folder.parent().unwrap()), 0o700);
        let mut read = Vec::new();
        for name in names(&folder) {
            let path = folder.join(&name);
            assert_eq!(mode(&path), 0o600);
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(FileName::parse(&name).unwrap().len_bytes, text.len() as u64);
            let line = text.strip_suffix('\n').unwrap();
            assert!(!line.contains('\n'));
            let params: HookPostParams = serde_json::from_str(line).unwrap();
            read.push(params.payload.unwrap().get().to_owned());
        }
        let numbers = ["3", "2000000000", "700000000000000000"];
        assert_eq!(read, numbers.map(|number| format!("{{\"n\":{number}}}")));
    }

    #[test]
    fn a_full_spool_counts_what_it_drops() {
        let (_base, folder) = spool();
        keep(&folder, &delivery(1), LIMIT_BYTES);
        // Unfinished files take space too; sizes are taken from the names.
        let big = FileName {
            len_bytes: LIMIT_BYTES - 150,
            ..FileName::new(SystemTime::now(), 0)
        };
        File::create(folder.join(big.unfinished())).unwrap();
        keep(&folder, &delivery(2), LIMIT_BYTES);
        keep(&folder, &delivery(3), LIMIT_BYTES);
        assert_eq!(names(&folder).len(), 3);
        assert_eq!(fs::read(folder.join(LOST)).unwrap(), b"..");
        fs::remove_file(folder.join(big.unfinished())).unwrap();
        keep(&folder, &delivery(4), LIMIT_BYTES);
        assert_eq!(names(&folder).len(), 3);
    }

    #[test]
    fn a_place_where_nothing_can_be_written_is_no_error() {
        keep(Path::new("/proc/spool"), &delivery(1), LIMIT_BYTES);
        keep(Path::new("/dev/null/spool"), &delivery(1), LIMIT_BYTES);
    }
}
