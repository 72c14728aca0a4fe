//! Transcripts that are kept, because Claude Code deletes them.
//! What is kept of a directory of Claude Code has the same layout. A kept file is another name of the same file, so it takes
//! no space and grows with it, and nothing needs to be done when Claude Code deletes its own name. On another disk it is a
//! copy.

use super::layout::Dir;
use super::stamp::{hash, stamp};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Returns a path as the name of a directory, with `-` for what is not a letter or a digit: as Claude Code names that of a
/// project.
pub(crate) fn plain_name(path: &str) -> String {
    path.replace(|char: char| !char.is_ascii_alphanumeric(), "-")
}

/// The directory below which files are kept.
#[derive(Debug, Clone)]
pub(crate) struct Archive(pub(crate) PathBuf);

impl Archive {
    /// Returns where the files of a directory are kept.
    pub(crate) fn dir_of(&self, dir: &Dir) -> Dir {
        let path = dir.path.to_string_lossy();
        let name = plain_name(&path);
        // Names end at 255 bytes, and different paths may look the same.
        let start = name.len().saturating_sub(200);
        let name = format!("{}-{:08x}", &name[start..], hash(path.as_bytes()) >> 32);
        Dir {
            path: self.0.join(name),
            is_root: false,
        }
    }

    /// Returns where a transcript is kept; `None` if it is in no directory of Claude Code.
    pub(crate) fn place(&self, dir: &Dir, path: &Path) -> Option<PathBuf> {
        in_other(dir, &self.dir_of(dir), path)
    }

    /// Returns where the original of a kept file was.
    pub(crate) fn original(&self, dir: &Dir, kept: &Path) -> Option<PathBuf> {
        in_other(&self.dir_of(dir), dir, kept)
    }

    /// Keeps a transcript, and the description of a sub-agent's. Blocks.
    pub(crate) fn keep(&self, dir: &Dir, path: &Path) -> io::Result<()> {
        let Some(place) = self.place(dir, path) else {
            return Ok(());
        };
        let folder = place.parent().unwrap_or(&self.0);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        keep(path, &place)?;
        let (meta, place) = (
            path.with_extension("meta.json"),
            place.with_extension("meta.json"),
        );
        if meta.exists() {
            keep(&meta, &place)
        } else {
            Ok(())
        }
    }
}

/// Returns the path in `other` of a transcript in `dir`.
fn in_other(dir: &Dir, other: &Dir, path: &Path) -> Option<PathBuf> {
    let inside = path.strip_prefix(dir.path.join("projects")).ok()?;
    Some(other.path.join("projects").join(inside))
}

/// Gives a file another name, or copies what is new in it. A kill in between leaves what was there before, or a copy of the
/// start of the file.
fn keep(path: &Path, place: &Path) -> io::Result<()> {
    let identity = |path: &Path| {
        let found = fs::symlink_metadata(path)?;
        Ok::<_, io::Error>((found.dev(), found.ino()))
    };
    let (original, kept) = (identity(path)?, identity(place).ok());
    if kept == Some(original) {
        return Ok(());
    }
    let new = new_name(place);
    let _ = fs::remove_file(&new); // of a process that was killed
    match fs::hard_link(path, &new) {
        Ok(()) => fs::rename(&new, place),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
        Err(_) => copy(path, place, &new),
    }
}

fn copy(path: &Path, place: &Path, new: &Path) -> io::Result<()> {
    let mut original = File::open(path)?;
    let have = fs::metadata(place).map_or(0, |found| found.len());
    let is_start = have > 0
        && have <= original.metadata()?.len()
        && stamp(&original, have)? == stamp(&File::open(place)?, have)?;
    let mut options = OpenOptions::new();
    if is_start {
        original.seek(SeekFrom::Start(have))?;
        io::copy(&mut original, &mut options.append(true).open(place)?)?;
        return Ok(());
    }
    let options = options.write(true).create_new(true).mode(0o600);
    // Not std::io::copy of the whole file: it may grow all the time.
    let mut whole = original
        .metadata()
        .map(|found| original.take(found.len()))?;
    io::copy(&mut whole, &mut options.open(new)?)?;
    fs::rename(new, place)
}

/// Returns a name that no transcript has.
fn new_name(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn set_up() -> (tempfile::TempDir, Archive, Dir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("claude");
        let transcript = path.join("projects/-srv-a/s1.jsonl");
        fs::create_dir_all(transcript.parent().unwrap()).unwrap();
        fs::write(&transcript, "1\n").unwrap();
        let archive = Archive(folder.path().join("archive"));
        let is_root = false;
        (folder, archive, Dir { path, is_root }, transcript)
    }

    #[test]
    fn a_kept_file_is_the_same_file_until_it_is_replaced() {
        let (_folder, archive, dir, path) = set_up();
        let place = archive.place(&dir, &path).unwrap();
        assert_eq!(archive.original(&dir, &place), Some(path.clone()));
        let keep = || archive.keep(&dir, &path).unwrap();
        let inode = |path: &Path| fs::metadata(path).unwrap().ino();
        keep();
        assert_eq!(inode(&place), inode(&path));
        let mode = fs::metadata(place.parent().unwrap()).unwrap();
        assert_eq!(mode.permissions().mode() & 0o777, 0o700);
        // Left by a process that was killed.
        fs::write(new_name(&place), "half").unwrap();
        let other = path.with_extension("tmp");
        fs::write(&other, "2\n").unwrap();
        fs::rename(&other, &path).unwrap();
        keep();
        keep();
        assert_eq!(inode(&place), inode(&path));
        assert!(!new_name(&place).exists());
        fs::remove_file(&path).unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "2\n");
        assert!(archive.keep(&dir, &path).is_err());
        assert_eq!(archive.place(&dir, Path::new("/elsewhere/s1.jsonl")), None);
    }

    #[test]
    fn a_copy_gets_what_is_new_and_is_replaced_with_the_file() {
        let (folder, _, _, path) = set_up();
        let place = folder.path().join("kept.jsonl");
        let copied = |text: &str| {
            fs::write(&path, text).unwrap();
            copy(&path, &place, &new_name(&place)).unwrap();
            assert_eq!(fs::read_to_string(&place).unwrap(), text);
            fs::metadata(&place).unwrap().ino()
        };
        let first = copied("1\n");
        assert_eq!(copied("1\n2\n"), first);
        assert_eq!(copied("1\n2\n3\n"), first);
        assert_ne!(copied("4\n"), first);
        let mode = fs::metadata(&place).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn different_directories_have_different_places() {
        let archive = Archive("/base".into());
        let place = |path: &str| {
            let path = path.into();
            let dir = archive.dir_of(&Dir {
                path,
                is_root: true,
            });
            dir.path.to_str().unwrap().to_owned()
        };
        assert_ne!(place("/a-b"), place("/a/b"));
        assert!(place("/home/me/.claude").starts_with("/base/-home-me--claude-"));
        assert!(place(&format!("/{}", "ü".repeat(2000))).len() < 220);
    }
}
