//! Reads files of a project: regular ones only, never through a link, never more than needed.

use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::SystemTime;

/// A file and when it was changed.
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    pub(super) modified: Option<SystemTime>,
    /// The file is longer than what was read.
    pub(super) is_cut: bool,
}

impl Content {
    pub(super) fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        text.strip_prefix('\u{feff}')
            .map_or_else(|| text.clone().into_owned(), str::to_owned)
    }
}

/// Reads at most `max` bytes of the file `path` below `root`.
pub(super) fn read(root: &Path, path: &Path, max: u64) -> io::Result<Content> {
    let file = open(root, path)?;
    let about = file.metadata()?;
    let mut bytes = Vec::new();
    file.take(max).read_to_end(&mut bytes)?;
    Ok(Content {
        is_cut: about.len() > max,
        modified: about.modified().ok(),
        bytes,
    })
}

/// Opens a regular file without following a link in any part of `path`.
pub(super) fn open(root: &Path, path: &Path) -> io::Result<File> {
    let mut directory = File::open(root)?;
    let parts: Vec<_> = path.components().collect();
    let Some((last, parents)) = parts.split_last() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for part in parents {
        let flags = flags | OFlags::DIRECTORY;
        directory = rustix::fs::openat(&directory, part.as_os_str(), flags, Mode::empty())?.into();
    }
    // A named pipe is opened without waiting for a writer, and then refused.
    let flags = flags | OFlags::NONBLOCK;
    let file: File = rustix::fs::openat(&directory, last.as_os_str(), flags, Mode::empty())?.into();
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("not a regular file")),
    }
}

/// Returns when the directory or file was changed; nothing for a link.
pub(super) fn modified(path: &Path) -> Option<SystemTime> {
    let about = path.symlink_metadata().ok()?;
    (!about.is_symlink()).then(|| about.modified().ok())?
}

/// Returns the names of the files and directories in a directory below `root`, sorted; links are left out.
pub(super) fn names(path: &Path, max: usize) -> Vec<(String, bool)> {
    let Ok(entries) = path.read_dir() else {
        return Vec::new();
    };
    let entries = entries.take(max).filter_map(|entry| {
        let entry = entry.ok()?;
        let kind = entry.file_type().ok()?;
        let name = entry.file_name().into_string().ok()?;
        (!kind.is_symlink()).then_some((name, kind.is_dir()))
    });
    let mut names: Vec<(String, bool)> = entries.collect();
    names.sort();
    names
}
