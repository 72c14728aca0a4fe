//! The databases, as far as their first bytes and sizes tell: the daemon alone opens them, and sets damaged ones aside.

use super::folders::of_mode;
use super::places::Places;
use crate::check::{Check, CheckState};
use crate::render::{counted, size};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

const NAME: &str = "databases";

/// The databases in the base directory, and in that of the coach.
const OF_BASE: [&str; 3] = ["ccd.sqlite", "exec.sqlite", "conversations.sqlite"];
const OF_COACH: [&str; 2] = ["events.sqlite", "ledger.sqlite"];

/// Part of the names of what was set aside.
const ASIDE: &str = ".corrupt-";

/// Every database starts with it.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

pub(super) fn checks(places: &Places) -> Vec<Check> {
    let folders = [(&places.base, &OF_BASE[..]), (&places.coach, &OF_COACH)];
    let (mut sound, mut checks) = (Vec::new(), Vec::new());
    for (folder, names) in folders {
        let Some(folder) = folder else { continue };
        for name in names {
            match of_file(&folder.join(name)) {
                Ok(None) => {}
                Ok(Some(bytes)) => sound.push(format!("{name} {}", size(bytes))),
                Err(check) => checks.push(check),
            }
        }
        checks.extend(set_aside(folder));
    }
    if !sound.is_empty() {
        checks.push(Check::ok(sound.join(", ")));
    }
    checks.into_iter().map(|check| check.of(NAME)).collect()
}

/// The size of a database with its journal; `None` if there is none.
fn of_file(path: &Path) -> Result<Option<u64>, Check> {
    let shown = path.display();
    let failed = |error: std::io::Error| Check::wrong(format!("{shown}: {error}"));
    let there = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        there => there.map_err(failed)?,
    };
    if !there.is_file() {
        let text = format!("{shown}: not a file; move it away");
        return Err(Check::wrong(text));
    }
    let mode = of_mode(path, &there);
    if mode.state == CheckState::Wrong {
        return Err(mode);
    }
    let mut header = Vec::new();
    let opened = File::open(path).and_then(|file| file.take(100).read_to_end(&mut header));
    opened.map_err(failed)?;
    let journal = fs::metadata(journal_of(path)).map_or(0, |journal| journal.len());
    if !header.is_empty() && !is_sound(&header, there.len(), journal > 0) {
        let text = format!(
            "{shown}: damaged; the daemon sets it aside when it opens it, so copy a backup there first if you have one"
        );
        return Err(Check::wrong(text));
    }
    Ok(Some(there.len() + journal))
}

fn journal_of(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    path.into()
}

/// Judges the header of a file (<https://www.sqlite.org/fileformat.html>): it says how many pages there are. While there is
/// a journal, pages may still be in that.
fn is_sound(header: &[u8], len: u64, has_journal: bool) -> bool {
    let number = |at: usize| {
        header
            .get(at..at + 4)
            .and_then(|bytes| bytes.try_into().ok())
    };
    let number = |at: usize| number(at).map_or(0, u32::from_be_bytes);
    let page_bytes = match header.get(16..18) {
        Some([0, 1]) => 65_536,
        Some([high, low]) => u64::from(*high) << 8 | u64::from(*low),
        _ => 0,
    };
    let pages_bytes = u64::from(number(28)) * page_bytes;
    header.starts_with(MAGIC) && page_bytes >= 512 && (has_journal || len >= pages_bytes)
}

/// What a daemon has set aside in a directory, if anything.
fn set_aside(folder: &Path) -> Option<Check> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.contains(ASIDE)).collect();
    names.sort();
    let text = format!(
        "{} set aside as damaged in {}: {}; delete what you do not need",
        counted(names.len() as u64, "entry"),
        folder.display(),
        names.join(", ")
    );
    (!names.is_empty()).then(|| Check::warning(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    /// The header of a database with pages of 4096 bytes.
    fn header(pages: u8) -> Vec<u8> {
        let mut header = MAGIC.to_vec();
        header.extend([0x10, 0]);
        header.resize(100, 0);
        header[31] = pages;
        header
    }

    #[test]
    fn a_header_says_how_long_the_file_is() {
        assert!(is_sound(&header(2), 8192, false));
        assert!(!is_sound(&header(2), 4096, false));
        assert!(is_sound(&header(2), 4096, true));
        assert!(!is_sound(b"this is no database", 4096, false));
        assert!(!is_sound(MAGIC, 16, false));
    }

    #[test]
    fn databases_are_sound_damaged_open_to_others_or_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ccd.sqlite");
        let places = || Places {
            socket: Ok("/s".into()),
            base: Some(folder.path().to_owned()),
            coach: None,
            tapes: None,
            socket_is_named: false,
        };
        assert_eq!(checks(&places()), []);
        let mut sound = header(1);
        sound.resize(4096, 0);
        let write = |content: &[u8], mode: u32| {
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            checks(&places()).remove(0)
        };
        assert_eq!(write(&sound, 0o600), Check::ok("ccd.sqlite 4.0K").of(NAME));
        assert_eq!(write(b"", 0o600).state, CheckState::Ok);
        assert!(write(b"noise", 0o600).text.contains("damaged"));
        assert!(write(&sound, 0o644).text.contains("chmod"));
        let aside = folder.path().join("ccd.sqlite.corrupt-2026");
        fs::write(aside, "").unwrap();
        let check = set_aside(folder.path()).unwrap();
        assert!(check.text.starts_with("1 entry set aside"), "{check:?}");
    }
}
