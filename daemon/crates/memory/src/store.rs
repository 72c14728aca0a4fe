//! The file of a project: written whole or not at all, never through a link, and unseen by git.

use crate::disk;
use crate::error::{MemoryError, Result};
use crate::file::{Parsed, parse};
use crate::model::{Cuts, MAX_BYTES, Notes, clip};
use crate::rules::{FileSecret, all_secrets, errors, fit, redact, shorten};
use ccd_base::whole_file::{self, Durability};
use ccd_protocol::memory::SessionMemory;
use ccd_protocol::memory::place::{MEMORY_FILE, project};
use ccd_repository::{RepositoryError, WorkTree, distrust};
use ccd_text::redact::redact as redact_text;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FOLDER: &str = ".claude";

/// Nobody writes to a file of this age any more.
const STRAY_AGE: Duration = Duration::from_secs(60);

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
    save_if(directory, memory, notes, |_, _| Vec::new())
}

/// Writes a memory that somebody gives, if it is valid once it is without secrets and within the limits.
pub fn save_given(directory: &Path, memory: SessionMemory) -> Result<Saved> {
    save_if(directory, memory, &Notes::default(), errors)
}

fn save_if(
    directory: &Path,
    mut memory: SessionMemory,
    notes: &Notes,
    errors: impl Fn(&SessionMemory, &str) -> Vec<String>,
) -> Result<Saved> {
    let root = root(directory)?;
    let mut redacted = redact(&mut memory);
    let mut cut = shorten(&mut memory);
    let notes = tidy(notes.clone());
    let mut text = fit(&mut memory, &mut cut, &notes, MAX_BYTES);
    let most = redacted + MAX_MASKED;
    // A place of which no text has a word is in the words of the file itself, beside a command that takes a password.
    let mut secrets = all_secrets(&text).into_iter();
    while let Some(found) = secrets.find(|found| found.mask(&mut memory)) {
        if redacted == most {
            let FileSecret { line, section, .. } = found;
            return Err(MemoryError::SecretFound { line, section });
        }
        redacted += 1;
        text = fit(&mut memory, &mut cut, &notes, MAX_BYTES);
        secrets = all_secrets(&text).into_iter();
    }
    let errors = errors(&memory, &text);
    if !errors.is_empty() {
        return Err(MemoryError::NotValid(errors));
    }
    Ok(Saved {
        warnings: put(&root, &text)?,
        path: root.join(MEMORY_FILE),
        bytes: text.len() as u64,
        cut,
        redacted,
    })
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

/// Returns warnings.
fn put(root: &Path, text: &str) -> Result<Vec<String>> {
    let not_writable = |reason| MemoryError::NotWritable {
        path: root.join(MEMORY_FILE),
        reason,
    };
    let warnings = hide(root)
        .map_err(|error| not_writable(format!("it cannot be kept out of git status: {error}")))?;
    write_file(root, text.as_bytes()).map_err(|error| not_writable(advice(root, &error)))?;
    Ok(warnings)
}

/// Says why the file cannot be written, and what to do.
fn advice(root: &Path, error: &io::Error) -> String {
    let folder = root.join(FOLDER);
    let (about, shown) = (folder.symlink_metadata(), folder.display());
    if about.as_ref().is_ok_and(|about| about.is_symlink()) {
        return format!(
            "{shown} is a link, and nothing is written through links; replace it by a directory"
        );
    }
    if about.as_ref().is_ok_and(|about| !about.is_dir()) {
        return format!("{shown} is not a directory; move it away");
    }
    let closed = if about.is_ok() { &*folder } else { root };
    let hint = match error.kind() {
        io::ErrorKind::PermissionDenied => {
            &format!("give yourself write permission for {}", closed.display())
        }
        io::ErrorKind::ReadOnlyFilesystem => "mount it writable, or work in a copy of the project",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space",
        io::ErrorKind::FileTooLarge => {
            "start the daemon with a higher limit on the size of files (ulimit -f)"
        }
        _ => return error.to_string(),
    };
    format!("{error}; {hint}")
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

/// Keeps the file out of `git status`, or returns a warning if it is tracked. What git itself does not read needs nothing.
fn hide(root: &Path) -> std::result::Result<Vec<String>, RepositoryError> {
    // To libgit2, a file that cannot be looked at for once is a file that is not there: the second look decides.
    let tree = match WorkTree::find(root).or_else(|_| WorkTree::find(root)) {
        Ok(tree) => tree,
        Err(RepositoryError::NoRepository(_) | RepositoryError::Bare(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let Ok(inside) = root.strip_prefix(&tree.root) else {
        return Ok(Vec::new());
    };
    let file = inside.join(MEMORY_FILE);
    let is_hidden = tree.exclude(&[&file], &pattern(&file))?;
    // A save that shows while it is written is no reason to refuse it.
    let folder = inside.join(FOLDER);
    let _ = tree.exclude(
        &[&folder.join(".x.new")],
        &format!("{}/.*.new", pattern(&folder)),
    );
    let warning = format!("{MEMORY_FILE} is tracked by git: a save shows in git status");
    Ok((!is_hidden).then_some(warning).into_iter().collect())
}

/// Returns the pattern for the file. `?` is any byte: line breaks cannot be written.
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
    pattern
}

fn read_file(root: &Path) -> io::Result<Vec<u8>> {
    let root = root.canonicalize()?;
    let content = disk::read(&root, Path::new(MEMORY_FILE), READ_BYTES)?;
    match distrust(&project(&root), &root.join(MEMORY_FILE)) {
        Some(why) => Err(io::Error::other(why)),
        None => Ok(content.bytes),
    }
}

fn write_file(root: &Path, content: &[u8]) -> io::Result<()> {
    let folder = root.join(FOLDER);
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => (),
    }
    if !folder.symlink_metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let file = root.join(MEMORY_FILE);
    match file.symlink_metadata() {
        // A link in the place of the file was made by somebody with other plans.
        Ok(about) if !about.is_file() => {
            Err(io::Error::other("it is not a regular file; remove it"))
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => {
            // Others may be writing there now.
            whole_file::remove_strays(&folder, STRAY_AGE);
            whole_file::replace(&file, content, 0o600, Durability::Now)
        }
    }
}
