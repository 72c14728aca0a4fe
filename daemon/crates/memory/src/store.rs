//! The file of a project: written whole or not at all, never through a link, and unseen by git.

use crate::error::{MemoryError, Result};
use crate::file::{Parsed, parse};
use crate::model::{Cuts, MAX_BYTES, Provenance};
use crate::rules::{first_secret, fit, redact, shorten};
use ccd_protocol::memory::SessionMemory;
use ccd_protocol::memory::place::MEMORY_FILE;
use ccd_repository::WorkTree;
use ccd_text::redact::redact as redact_text;
use rustix::fs::{AtFlags, Mode, OFlags};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const FOLDER: &str = ".claude";
const NAME: &str = "session-memory.md";
/// Of a file that are read: people edit it, but nobody writes a megabyte.
const READ_BYTES: u64 = 1024 * 1024;

/// What was written.
#[derive(Debug, Clone, Default)]
pub struct Saved {
    pub path: PathBuf,
    pub bytes: u64,
    pub cut: Cuts,
    /// Secrets that were removed.
    pub redacted: u64,
    pub warnings: Vec<String>,
}

/// Writes a memory without secrets and within the limits.
///
/// # Errors
///
/// `NoProject`, `SecretFound`, `NotWritable`. The old file is whole then.
pub fn save(directory: &Path, memory: SessionMemory, provenance: &Provenance) -> Result<Saved> {
    let root = directory
        .canonicalize()
        .map_err(|_| MemoryError::NoProject(directory.to_owned()))?;
    let (mut memory, redacted) = redact(memory);
    let mut cut = shorten(&mut memory);
    let mut provenance = provenance.clone();
    for fact in provenance.values_mut() {
        fact.source = redact_text(&fact.source).text.into_owned();
    }
    let text = fit(&mut memory, &mut cut, &provenance, MAX_BYTES);
    if let Some((line, section)) = first_secret(&text) {
        return Err(MemoryError::SecretFound { line, section });
    }
    let path = root.join(MEMORY_FILE);
    let mut warnings = Vec::new();
    hide(&root, &mut warnings);
    write_file(&root, text.as_bytes()).map_err(|error| MemoryError::NotWritable {
        path: path.clone(),
        reason: error.to_string(),
    })?;
    Ok(Saved {
        path,
        bytes: text.len() as u64,
        cut,
        redacted,
        warnings,
    })
}

/// Reads the memory of a project.
///
/// # Errors
///
/// `NotFound`, `NotReadable`; `Invalid` if the file has none of the sections.
pub fn read(directory: &Path) -> Result<Parsed> {
    let path = directory.join(MEMORY_FILE);
    let content = read_file(directory).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => MemoryError::NotFound(directory.to_owned()),
        _ => MemoryError::NotReadable {
            path: path.clone(),
            source,
        },
    })?;
    let parsed = parse(&String::from_utf8_lossy(&content));
    match parsed.has_sections || parsed.is_empty {
        true => Ok(parsed),
        false => Err(MemoryError::Invalid(path)),
    }
}

/// Keeps the file out of `git status`. If that fails, the memory is still worth having.
fn hide(root: &Path, warnings: &mut Vec<String>) {
    let Ok(tree) = WorkTree::find(root) else {
        return;
    };
    let Ok(inside) = root.strip_prefix(&tree.root) else {
        return;
    };
    let file = inside.join(MEMORY_FILE);
    let temporary = file.with_file_name(format!("{NAME}.tmp"));
    let Some(pattern) = pattern(&file) else {
        warnings.push(format!(
            "{MEMORY_FILE} is not kept out of git: the path has a line break"
        ));
        return;
    };
    match tree.exclude(&[&file, &temporary], &pattern) {
        Ok(true) => (),
        Ok(false) => warnings.push(format!(
            "{MEMORY_FILE} is tracked by git: a save shows in git status"
        )),
        Err(error) => warnings.push(format!("{MEMORY_FILE} is not kept out of git: {error}")),
    }
}

/// Returns the pattern for the file and for what it is written to first.
fn pattern(file: &Path) -> Option<String> {
    let path = file.to_str().filter(|path| !path.contains('\n'))?;
    let mut pattern = String::from("/");
    for char in path.chars() {
        if matches!(char, '*' | '?' | '[' | '\\') {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern.push('*');
    Some(pattern)
}

fn folder(root: &Path) -> io::Result<OwnedFd> {
    let root = File::open(root)?;
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(&root, FOLDER, flags, Mode::empty())?)
}

fn read_file(root: &Path) -> io::Result<Vec<u8>> {
    let folder = folder(root)?;
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file: File = rustix::fs::openat(&folder, NAME, flags, Mode::empty())?.into();
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut content = Vec::new();
    file.take(READ_BYTES).read_to_end(&mut content)?;
    Ok(content)
}

fn write_file(root: &Path, content: &[u8]) -> io::Result<()> {
    let top = File::open(root)?;
    match rustix::fs::mkdirat(&top, FOLDER, Mode::from_raw_mode(0o700)) {
        Err(error) if error != rustix::io::Errno::EXIST => return Err(error.into()),
        _ => (),
    }
    let folder = folder(root)?;
    refuse_others(&folder, NAME)?;
    replace(&folder, NAME, content, Mode::from_raw_mode(0o600))
}

/// Puts a new file in the place of `name` at once.
pub(crate) fn replace(folder: &OwnedFd, name: &str, content: &[u8], mode: Mode) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let temporary = format!("{name}.{}-{number}.tmp", std::process::id());
    let written = write_new(folder, &temporary, content, mode)
        .and_then(|()| Ok(rustix::fs::renameat(folder, &*temporary, folder, name)?));
    if written.is_err() {
        let _ = rustix::fs::unlinkat(folder, &*temporary, AtFlags::empty());
    }
    written
}

/// A link in the place of the file was made by somebody with other plans.
fn refuse_others(folder: &OwnedFd, name: &str) -> io::Result<()> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(about) if rustix::fs::FileType::from_raw_mode(about.st_mode).is_file() => Ok(()),
        Ok(_) => Err(io::Error::other("it is not a regular file; remove it")),
        Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn write_new(folder: &OwnedFd, name: &str, content: &[u8], mode: Mode) -> io::Result<()> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file: File =
        rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(0o600))?.into();
    rustix::fs::fchmod(&file, mode)?;
    file.write_all(content)?;
    // The name must not come to the disk before the content.
    file.sync_all()
}
