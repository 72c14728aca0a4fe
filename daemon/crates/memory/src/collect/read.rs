//! Reads files of a project: regular ones only, never through a link, never more than needed.

use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path};
use std::time::SystemTime;

/// Of a manifest that are read.
pub(super) const MANIFEST_BYTES: u64 = 4 * 1024 * 1024;

/// A file and when it was changed.
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    pub(super) modified: Option<SystemTime>,
    pub(super) len: u64,
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

/// Reads at most `max` bytes of the file `path` below `root`, which has no links in it.
pub(super) fn read(root: &Path, path: &Path, max: u64) -> io::Result<Content> {
    let file = open(root, path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    // One byte more, so that the end of the file is found without another buffer.
    let len = about.len().min(max) as usize + 1;
    let mut bytes = Vec::with_capacity(len);
    file.take(max).read_to_end(&mut bytes)?;
    Ok(Content {
        len: about.len(),
        is_cut: about.len() > max,
        modified: about.modified().ok(),
        bytes,
    })
}

pub(super) fn too_long(path: &Path, len: u64, max: u64) -> String {
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
    #[cfg(target_os = "linux")]
    match open_at_once(root, path) {
        Err(error) if matches!(error.raw_os_error(), Some(NOSYS | PERM)) => (),
        opened => return opened,
    }
    let mut directory = File::open(root)?;
    let parts: Vec<_> = path.components().collect();
    let Some((last, parents)) = parts.split_last() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    for part in parents {
        let flags = FLAGS | OFlags::DIRECTORY;
        directory = rustix::fs::openat(&directory, part.as_os_str(), flags, Mode::empty())?.into();
    }
    Ok(rustix::fs::openat(&directory, last.as_os_str(), FLAGS, Mode::empty())?.into())
}

/// What kernels before 5.6 and sandboxes answer to `openat2`.
#[cfg(target_os = "linux")]
const NOSYS: i32 = rustix::io::Errno::NOSYS.raw_os_error();
#[cfg(target_os = "linux")]
const PERM: i32 = rustix::io::Errno::PERM.raw_os_error();

/// Does in one call what takes one for each part of the path: a save opens thousands of files.
#[cfg(target_os = "linux")]
fn open_at_once(root: &Path, path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, ResolveFlags, openat2};
    let resolve = ResolveFlags::NO_SYMLINKS;
    Ok(openat2(CWD, root.join(path), FLAGS, Mode::empty(), resolve)?.into())
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
