//! Finds the tapes in a directory.

use super::problem::{LoadError, MAX_FOLDERS, MAX_TAPES};
use super::tape::{Stamp, TapeId};
use std::collections::HashSet;
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

const MAX_DEPTH: usize = 32;

/// The suffix of a tape's file name.
pub const SUFFIX: &str = ".json5";

#[derive(Debug, Default)]
pub struct WalkResult {
    pub(super) tapes: Vec<FoundTape>,
    pub(super) problems: Vec<(PathBuf, LoadError)>,
}

#[derive(Debug)]
pub(super) struct FoundTape {
    pub(super) id: TapeId,
    pub(super) stamp: Stamp,
}

/// Finds all tapes in `root`: files that end with `.json5`, except those with names, or in directories with names, that
/// start with a dot.
/// `enter` is called with each directory before it is read, so that the caller can watch for files that appear later.
/// Links are followed; each directory is entered once. A missing root is empty.
pub fn walk(root: &Path, mut enter: impl FnMut(&Path)) -> WalkResult {
    let mut found = WalkResult::default();
    let mut entered = HashSet::new();
    let mut waiting = vec![(root.to_owned(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = waiting.pop() {
        let id = fs::metadata(&folder).map(|meta| (meta.dev(), meta.ino()));
        if !id.is_ok_and(|id| entered.insert(id)) {
            continue;
        }
        if entered.len() > MAX_FOLDERS {
            found.problems.push((folder, LoadError::TooManyFolders));
            return found;
        }
        enter(&folder);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                found.problems.push((folder, error.into()));
                continue;
            }
        };
        let mut folders = Vec::new();
        for entry in entries.flatten() {
            match look(&entry, &prefix) {
                Ok(WalkEntry::Tape(_)) if found.tapes.len() >= MAX_TAPES => {
                    found.problems.push((folder, LoadError::TooMany));
                    return found;
                }
                Ok(WalkEntry::Tape(tape)) => found.tapes.push(tape),
                Ok(WalkEntry::Folder(_)) if depth >= MAX_DEPTH => {
                    found.problems.push((entry.path(), LoadError::TooDeep));
                }
                Ok(WalkEntry::Folder(prefix)) => folders.push((entry.path(), prefix, depth + 1)),
                Ok(WalkEntry::Nothing) => {}
                Err(error) => found.problems.push((entry.path(), error)),
            }
        }
        // Sorted, so that of two paths to a directory the same one is taken each time.
        folders.sort_unstable_by(|a, b| b.1.cmp(&a.1));
        waiting.append(&mut folders);
    }
    found
}

enum WalkEntry {
    Tape(FoundTape),
    /// The start of the ids of its tapes.
    Folder(String),
    Nothing,
}

fn look(entry: &DirEntry, prefix: &str) -> Result<WalkEntry, LoadError> {
    let name = entry.file_name();
    let is_tape = name.as_encoded_bytes().ends_with(SUFFIX.as_bytes());
    if name.as_encoded_bytes().starts_with(b".") {
        return Ok(WalkEntry::Nothing);
    }
    let kind = entry.file_type()?;
    if !is_tape && kind.is_file() {
        return Ok(WalkEntry::Nothing);
    }
    // The target of a link counts; a broken link is ignored, unless it has the name of a tape.
    let meta = match fs::metadata(entry.path()) {
        Err(_) if !is_tape => return Ok(WalkEntry::Nothing),
        Err(error) if kind.is_symlink() && error.kind() == io::ErrorKind::NotFound => {
            return Err(LoadError::Link);
        }
        meta => meta?,
    };
    if !is_tape && !meta.is_dir() {
        return Ok(WalkEntry::Nothing);
    }
    let name = name.to_str().ok_or(LoadError::Name)?;
    if !is_tape {
        return Ok(WalkEntry::Folder(format!("{prefix}{name}/")));
    }
    check_kind(&meta)?;
    let name = name.strip_suffix(SUFFIX).unwrap_or(name);
    Ok(WalkEntry::Tape(FoundTape {
        id: format!("{prefix}{name}").into(),
        stamp: Stamp::from(&meta),
    }))
}

/// Rejects anything but a regular file: opening a named pipe would wait for ever.
pub(super) fn check_kind(meta: &Metadata) -> Result<(), LoadError> {
    if meta.is_file() {
        return Ok(());
    }
    let is_folder = meta.is_dir();
    let kind = if is_folder { "folder" } else { "special file" };
    Err(LoadError::Kind { kind })
}

/// Returns the id of the tape at `path`; `None` if it is not a possible tape of this root.
pub fn id_of(root: &Path, path: &Path) -> Option<TapeId> {
    let below = path.strip_prefix(root).ok()?;
    let hidden = |part: std::path::Component<'_>| !matches!(part, std::path::Component::Normal(name) if !name.as_encoded_bytes().starts_with(b"."));
    if below.components().any(hidden) {
        return None;
    }
    Some(below.to_str()?.strip_suffix(SUFFIX)?.into())
}
