//! The opener of files that ccd has made: regular files of this user, reached through no link.
//! Something else in the place of such a file is refused, and neither changed nor waited for: a named pipe would block
//! whoever opens it, a link or a device would have its target changed.

use rustix::fs::OFlags;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

pub fn read(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true))
}

pub fn content(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    content_of(&read(path)?, path, max_bytes)
}

/// Returns the content of a document that people write, of at most `max_bytes`. It may belong to anybody and be reached
/// through links.
pub fn document(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let refuse_others = |found: &Metadata| {
        if found.is_file() {
            Ok(())
        } else {
            Err(io::Error::other(format!(
                "{} is not a regular file",
                path.display()
            )))
        }
    };
    refuse_others(&fs::metadata(path)?)?;
    let file = with_flags(OpenOptions::new().read(true), OFlags::NONBLOCK)?.open(path)?;
    refuse_others(&file.metadata()?)?;
    content_of(&file, path, max_bytes)
}

fn content_of(file: &File, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let limit = max_bytes.saturating_add(1);
    file.take(limit).read_to_end(&mut content)?;
    if content.len() as u64 > max_bytes {
        let text = format!("{} is larger than {max_bytes} bytes", path.display());
        return Err(io::Error::other(text));
    }
    Ok(content)
}

pub fn existing(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true).write(true))
}

/// Does the same, and creates the file if there is none.
pub fn update(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    open(path, options.read(true).write(true).create(true))
}

/// Opens a file for reading and appending; it is created if there is none.
pub fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    open(path, options.read(true).append(true).create(true))
}

pub fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    open(path, options.read(true).write(true).create_new(true))
}

/// Creates a file in place of what is there, except for a directory. The target of a link keeps its content.
pub fn replace(path: &Path) -> io::Result<File> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => check(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    create(path)
}

/// Checks a file that is about to be opened by somebody else, such as SQLite. It may be missing.
pub fn check(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) => refuse_foreign(path, &found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Opening a device may already do something.
    if let Ok(found) = fs::symlink_metadata(path) {
        refuse_foreign(path, &found)?;
    }
    // In case it is being replaced: a named pipe does not block, and a terminal does not become that of this process.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = with_flags(options.mode(0o600), flags)?.open(path)?;
    refuse_foreign(path, &file.metadata()?)?;
    Ok(file)
}

fn with_flags(options: &mut OpenOptions, flags: OFlags) -> io::Result<&mut OpenOptions> {
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    Ok(options.custom_flags(flags))
}

fn refuse_foreign(path: &Path, found: &Metadata) -> io::Result<()> {
    let kind = found.file_type();
    let us = rustix::process::geteuid().as_raw();
    let what = match () {
        () if kind.is_file() && found.uid() == us => return Ok(()),
        () if kind.is_file() => &*format!("a file of user {}", found.uid()),
        () if kind.is_symlink() => "a symbolic link",
        () if kind.is_dir() => "a directory",
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    };
    let path = path.display();
    let text = format!("{path} is {what} and was not created by ccd: move it away");
    Err(io::Error::other(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    use std::io::Write as _;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    type Opener = fn(&Path) -> io::Result<File>;

    const OPENERS: [(&str, Opener); 5] = [
        ("read", read),
        ("existing", existing),
        ("update", update),
        ("append", append),
        ("create", create),
    ];

    #[test]
    fn nothing_but_a_regular_file_of_ours_is_opened_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("document"), "kept").unwrap();
        symlink(path("document"), path("link")).unwrap();
        symlink(path("nowhere"), path("dangling")).unwrap();
        fs::create_dir(path("directory")).unwrap();
        let _listener = UnixListener::bind(path("socket")).unwrap();
        mknodat(CWD, path("pipe"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        let mut places = vec!["link", "dangling", "directory", "socket", "pipe"];
        let device = FileType::CharacterDevice;
        // Only root may make one; /dev/zero has no effect.
        if mknodat(CWD, path("device"), device, Mode::RUSR, makedev(1, 5)).is_ok() {
            places.push("device");
        }
        if rustix::process::geteuid().is_root() {
            fs::write(path("foreign"), "kept").unwrap();
            std::os::unix::fs::chown(path("foreign"), Some(12_345), None).unwrap();
            places.push("foreign");
        }
        for place in places {
            for (name, opener) in OPENERS {
                let error = opener(&path(place)).unwrap_err().to_string();
                let named = format!("{} is a", path(place).display());
                assert!(error.starts_with(&named), "{name} {place}: {error}");
            }
            check(&path(place)).unwrap_err();
            fs::symlink_metadata(path(place)).unwrap();
            let is_document = document(&path(place), 100).is_ok();
            assert_eq!(is_document, ["link", "foreign"].contains(&place), "{place}");
        }
        assert_eq!(fs::read_to_string(path("document")).unwrap(), "kept");
        assert!(!path("nowhere").exists());
    }

    #[test]
    fn a_file_is_replaced_without_changing_the_target_of_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("document"), "kept").unwrap();
        symlink(path("document"), path("a")).unwrap();
        mknodat(CWD, path("b"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        fs::write(path("c"), "earlier content").unwrap();
        for name in ["a", "b", "c", "d"] {
            replace(&path(name)).unwrap().write_all(b"new").unwrap();
            assert_eq!(content(&path(name), 3).unwrap(), b"new");
            let mode = fs::symlink_metadata(path(name)).unwrap().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        assert_eq!(fs::read_to_string(path("document")).unwrap(), "kept");
        replace(folder.path()).unwrap_err();
        content(&path("d"), 2).unwrap_err();
    }

    #[test]
    fn what_was_written_stays_when_a_file_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        append(&path).unwrap().write_all(b"one ").unwrap();
        append(&path).unwrap().write_all(b"two").unwrap();
        update(&path).unwrap().write_all(b"ONE").unwrap();
        assert_eq!(content(&path, 100).unwrap(), b"ONE two");
        assert_eq!(
            create(&path).unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
        let missing = folder.path().join("missing");
        for opener in [read, existing] {
            assert_eq!(
                opener(&missing).unwrap_err().kind(),
                io::ErrorKind::NotFound
            );
        }
        check(&missing).unwrap();
    }
}
