//! Reads files of a project: regular ones only, never through a link, never more than needed.

use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path};
use std::time::SystemTime;

/// Of a manifest that are read.
pub(crate) const MANIFEST_BYTES: u64 = 4 * 1024 * 1024;

/// A file and when it was changed.
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) modified: Option<SystemTime>,
    pub(crate) mode: u32,
    pub(crate) len: u64,
    /// The file is longer than what was read.
    pub(crate) is_cut: bool,
}

impl Content {
    pub(crate) fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        text.strip_prefix('\u{feff}')
            .map_or_else(|| text.clone().into_owned(), str::to_owned)
    }
}

/// Reads at most `max` bytes of the file `path` below `root`, which has no links in it.
pub(crate) fn read(root: &Path, path: &Path, max: u64) -> io::Result<Content> {
    let file = open(root, path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("it is not a regular file; remove it"));
    }
    // One byte more, so that the end of the file is found without another buffer.
    let len = about.len().min(max) as usize + 1;
    let mut bytes = Vec::with_capacity(len);
    file.take(max).read_to_end(&mut bytes)?;
    Ok(Content {
        len: about.len(),
        is_cut: about.len() > max,
        modified: about.modified().ok(),
        mode: about.mode(),
        bytes,
    })
}

pub(crate) fn too_long(path: &Path, len: u64, max: u64) -> String {
    let (mib, max) = (len as f64 / MIB, max as f64 / MIB);
    format!(
        "{} has {mib:.1} MiB; the limit is {max} MiB",
        path.display()
    )
}

const MIB: f64 = 1024.0 * 1024.0;

/// A named pipe is opened without waiting for a writer.
const FLAGS: OFlags = OFlags::NOFOLLOW
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK);

/// Opens a file without following a link in any part of `path`.
fn open(root: &Path, path: &Path) -> io::Result<File> {
    let is_inside = |part| matches!(part, Component::Normal(_));
    if !path.components().all(is_inside) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut file = File::open(root)?;
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        let is_folder = parts.peek().is_some();
        let kind = if is_folder {
            OFlags::DIRECTORY
        } else {
            OFlags::empty()
        };
        file = rustix::fs::openat(&file, part.as_os_str(), FLAGS | kind, Mode::empty())?.into();
    }
    Ok(file)
}

/// Returns when the directory or file was changed; nothing for a link.
pub(crate) fn modified(path: &Path) -> Option<SystemTime> {
    let about = path.symlink_metadata().ok()?;
    (!about.is_symlink()).then(|| about.modified().ok())?
}

/// Returns the names of the files and directories in a directory below `root`, sorted; links are left out.
pub(crate) fn names(path: &Path, max: usize) -> Vec<(String, bool)> {
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
