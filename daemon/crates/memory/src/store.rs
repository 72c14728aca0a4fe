//! The file of a project: written whole or not at all, never through a link, and unseen by git.

use crate::error::{MemoryError, Result};
use crate::file::{Parsed, parse};
use crate::model::{Cuts, MAX_BYTES, Notes, clip};
use crate::rules::{all_secrets, fit, redact, shorten, validate};
use ccd_protocol::memory::SessionMemory;
use ccd_protocol::memory::place::{MEMORY_FILE, project};
use ccd_repository::{RepositoryError, WorkTree, distrust};
use ccd_text::redact::redact as redact_text;
use rustix::fs::{AtFlags, Mode, OFlags};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const FOLDER: &str = ".claude";
const NAME: &str = "session-memory.md";
/// Of a file that are read: people edit it, but nobody writes a megabyte.
const READ_BYTES: u64 = 1024 * 1024;

/// Secrets that are masked after the scan of the finished file; one that has more is not written.
const MAX_MASKED: u64 = 100;

/// Of a save that are in the file, and the characters of each.
const MAX_WARNINGS: usize = 10;
const WARNING_CHARS: usize = 300;

#[derive(Debug, Clone, Default)]
pub struct Saved {
    pub path: PathBuf,
    pub bytes: u64,
    pub cut: Cuts,
    /// Secrets that were removed.
    pub redacted: u64,
    pub warnings: Vec<String>,
}

/// Writes a memory without secrets and within the limits. On an error, the old file is whole.
pub fn save(directory: &Path, memory: SessionMemory, notes: &Notes) -> Result<Saved> {
    let root = root(directory)?;
    put(&root, Ready::of(memory, notes)?)
}

/// Writes a memory that somebody gives, if it is valid once it is without secrets and within the limits.
pub fn save_given(directory: &Path, memory: SessionMemory) -> Result<Saved> {
    let root = root(directory)?;
    let ready = Ready::of(memory, &Notes::default())?;
    let errors = validate(&ready.memory).errors;
    if errors.is_empty() {
        put(&root, ready)
    } else {
        Err(MemoryError::NotValid(errors))
    }
}

/// Returns the directory with links resolved, if the memory in it would be read later.
pub(crate) fn root(directory: &Path) -> Result<PathBuf> {
    let no_project = |_| MemoryError::NoProject(directory.to_owned());
    let root = directory.canonicalize().map_err(no_project)?;
    match distrust(&project(&root), &root.join(FOLDER)) {
        None => Ok(root),
        Some(reason) => Err(MemoryError::NotWritable {
            path: root.join(MEMORY_FILE),
            reason,
        }),
    }
}

struct Ready {
    memory: SessionMemory,
    text: String,
    cut: Cuts,
    redacted: u64,
}

impl Ready {
    fn of(memory: SessionMemory, notes: &Notes) -> Result<Self> {
        let (mut memory, mut redacted) = redact(memory);
        let mut cut = shorten(&mut memory);
        let notes = tidy(notes.clone());
        let mut text = fit(&mut memory, &mut cut, &notes, MAX_BYTES);
        let most = redacted + MAX_MASKED;
        // A place of which no text has a word is in the words of the file itself, beside a command that takes a password.
        while let Some((without, found)) = all_secrets(&text)
            .into_iter()
            .find_map(|found| Some((found.mask(&memory)?, found)))
        {
            if redacted == most {
                return Err(found.into());
            }
            redacted += 1;
            memory = without;
            text = fit(&mut memory, &mut cut, &notes, MAX_BYTES);
        }
        Ok(Self {
            memory,
            text,
            cut,
            redacted,
        })
    }
}

fn put(root: &Path, ready: Ready) -> Result<Saved> {
    let path = root.join(MEMORY_FILE);
    let mut warnings = Vec::new();
    hide(root, &mut warnings).map_err(|error| MemoryError::NotWritable {
        path: path.clone(),
        reason: format!("it cannot be kept out of git status: {error}"),
    })?;
    write_file(root, ready.text.as_bytes()).map_err(|error| MemoryError::NotWritable {
        path: path.clone(),
        reason: advice(root, &error),
    })?;
    Ok(Saved {
        path,
        bytes: ready.text.len() as u64,
        cut: ready.cut,
        redacted: ready.redacted,
        warnings,
    })
}

/// Says why the file cannot be written, and what to do.
fn advice(root: &Path, error: &io::Error) -> String {
    let folder = root.join(FOLDER);
    match (error.kind(), folder.symlink_metadata()) {
        (_, Ok(about)) if about.is_symlink() => format!(
            "{} is a link, and nothing is written through links; replace it by a directory",
            folder.display()
        ),
        (_, Ok(about)) if !about.is_dir() => {
            format!("{} is not a directory; move it away", folder.display())
        }
        (io::ErrorKind::PermissionDenied, about) => {
            let closed = if about.is_ok() { &*folder } else { root };
            format!(
                "{error}; give yourself write permission for {}",
                closed.display()
            )
        }
        (io::ErrorKind::ReadOnlyFilesystem, _) => {
            format!("{error}; mount it writable, or work in a copy of the project")
        }
        (io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded, _) => {
            format!("{error}; free some space")
        }
        (io::ErrorKind::FileTooLarge, _) => {
            format!(
                "{error}; start the daemon with a higher limit on the size of files (ulimit -f)"
            )
        }
        _ => error.to_string(),
    }
}

/// Removes secrets, and what is too much.
fn tidy(mut notes: Notes) -> Notes {
    for fact in notes.provenance.values_mut() {
        fact.source = redact_text(&fact.source).text.into_owned();
    }
    let more = notes.warnings.len().saturating_sub(MAX_WARNINGS);
    notes.warnings.truncate(MAX_WARNINGS);
    for warning in &mut notes.warnings {
        *warning = clip(warning, WARNING_CHARS);
    }
    if more > 0 {
        notes.warnings.push(format!("... and {more} more"));
    }
    notes
}

pub fn read(directory: &Path) -> Result<Parsed> {
    let path = directory.join(MEMORY_FILE);
    let content = read_file(directory).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound if !directory.is_dir() => {
            MemoryError::NoProject(directory.to_owned())
        }
        io::ErrorKind::NotFound => MemoryError::NotFound(directory.to_owned()),
        _ => MemoryError::NotReadable {
            path: path.clone(),
            source: if directory.join(FOLDER).is_symlink() || path.is_symlink() {
                io::Error::other("it is behind a link, and links are not followed")
            } else {
                source
            },
        },
    })?;
    let parsed = parse(&String::from_utf8_lossy(&content));
    if parsed.has_sections || parsed.is_empty {
        Ok(parsed)
    } else {
        Err(MemoryError::Invalid(path))
    }
}

/// Keeps the file out of `git status`, unless it is tracked. What git itself does not read needs nothing.
fn hide(root: &Path, warnings: &mut Vec<String>) -> std::result::Result<(), RepositoryError> {
    // To libgit2, a file that cannot be looked at for once is a file that is not there: the second look decides.
    let tree = match WorkTree::find(root).or_else(|_| WorkTree::find(root)) {
        Ok(tree) => tree,
        Err(RepositoryError::NoRepository(_) | RepositoryError::Bare(_)) => return Ok(()),
        Err(error) => return Err(error),
    };
    let Ok(inside) = root.strip_prefix(&tree.root) else {
        return Ok(());
    };
    let file = inside.join(MEMORY_FILE);
    let temporary = file.with_file_name(format!("{NAME}.tmp"));
    if !tree.exclude(&[&file, &temporary], &pattern(&file))? {
        warnings.push(format!(
            "{MEMORY_FILE} is tracked by git: a save shows in git status"
        ));
    }
    Ok(())
}

/// Returns the pattern for the file and for what it is written to first. `?` is any byte: line breaks cannot be written.
fn pattern(file: &Path) -> String {
    let mut pattern = String::from("/");
    for chunk in file.as_os_str().as_bytes().utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '*' | '?' | '[' | '\\' => pattern.extend(['\\', char]),
                char if char.is_control() => pattern.extend(vec!['?'; char.len_utf8()]),
                char => pattern.push(char),
            }
        }
        pattern.extend(chunk.invalid().iter().map(|_| '?'));
    }
    pattern.push('*');
    pattern
}

fn folder(root: &Path) -> io::Result<OwnedFd> {
    let root = File::open(root)?;
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(&root, FOLDER, flags, Mode::empty())?)
}

fn read_file(root: &Path) -> io::Result<Vec<u8>> {
    let root = root.canonicalize()?;
    let folder = folder(&root)?;
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file: File = rustix::fs::openat(&folder, NAME, flags, Mode::empty())?.into();
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if let Some(why) = distrust(&project(&root), &root.join(MEMORY_FILE)) {
        return Err(io::Error::other(why));
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
