//! The files that a start leaves beside the socket: its lock, and the output of the daemon until it serves.

use ccd_protocol::parents::{User, check_parents};
use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// The lock that one start at a time holds.
pub(super) const LOCK: &str = ".start";

/// What the daemon prints until it serves.
pub(super) const OUTPUT: &str = ".start.log";

const STICKY: u32 = 0o1000;
const WRITABLE_BY_OTHERS: u32 = 0o022;

#[derive(Debug)]
pub(super) struct SocketFolder {
    folder: File,
    socket: PathBuf,
}

impl SocketFolder {
    /// Opens the directory of `socket`, or creates it with mode 0700. `is_named` says that the user chose it, so the
    /// daemon will not change its mode.
    /// The error has the path and the reason if it is a link, belongs to somebody else, or others may write to it or
    /// replace it; such a directory is left as it is.
    pub(super) fn open(socket: &Path, is_named: bool) -> Result<Self, String> {
        let path = socket.parent().unwrap_or(Path::new("/"));
        let elsewhere = where_else(is_named);
        let failed = |why: String| format!("{}: {why}", path.display());
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let user = User {
            uid: rustix::process::geteuid().as_raw(),
            gid: rustix::process::getegid().as_raw(),
            home: home.as_deref(),
        };
        check_parents(path, user)
            .map_err(|error| failed(format!("{error}; {}", error.remedy(elsewhere))))?;
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        match made {
            // A file or a link: opening it returns a better error.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                let why = format!("the directory could not be made: {error}; {elsewhere}");
                return Err(failed(why));
            }
            _ => {}
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = open(path, flags, Mode::empty()).map_err(|error| {
            failed(match error {
                Errno::LOOP | Errno::NOTDIR => {
                    format!("a symbolic link or not a directory; {elsewhere}")
                }
                error => format!("the directory cannot be used: {error}; {elsewhere}"),
            })
        })?;
        let folder = File::from(folder);
        check_folder(&folder, is_named).map_err(failed)?;
        Ok(Self {
            folder,
            socket: socket.to_owned(),
        })
    }

    /// Opens the file whose name is the socket's followed by `suffix`, or creates it with mode 0600. Its content is kept.
    /// The error has the path and the reason if it is a link, not a regular file, or not this user's alone.
    pub(super) fn file(&self, suffix: &str) -> Result<File, String> {
        let path = self.path(suffix);
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = path
            .file_name()
            .ok_or(Errno::ISDIR)
            .and_then(|name| openat(&self.folder, name, flags, Mode::RUSR | Mode::WUSR));
        let why = match opened.map(File::from) {
            Ok(file) if is_ours(&file) => return Ok(file),
            Err(Errno::LOOP) => "a symbolic link; move it away".to_owned(),
            // Also a directory, a socket or a device without a driver.
            Ok(_) | Err(Errno::ISDIR | Errno::NXIO) => {
                "not a file that ccctl created; move it away".to_owned()
            }
            Err(error) => error.to_string(),
        };
        Err(format!("{}: {why}", path.display()))
    }

    pub(super) fn path(&self, suffix: &str) -> PathBuf {
        let mut path: OsString = self.socket.clone().into();
        path.push(suffix);
        path.into()
    }
}

fn check_folder(folder: &File, is_named: bool) -> Result<(), String> {
    let metadata = folder.metadata().map_err(|error| error.to_string())?;
    let (owner, us) = (metadata.uid(), rustix::process::geteuid().as_raw());
    let mode = metadata.mode() & 0o7777;
    let elsewhere = where_else(is_named);
    if owner != us {
        return Err(format!(
            "the directory belongs to user {owner}, not to user {us}; {elsewhere}"
        ));
    }
    // The daemon restricts its own directory, but not a sticky one, which is meant for many users.
    if mode & STICKY != 0 || (is_named && mode & WRITABLE_BY_OTHERS != 0) {
        return Err(format!(
            "the directory is writable by others (mode {mode:04o}); run chmod go-w on it, or {elsewhere}"
        ));
    }
    Ok(())
}

/// What to do about a directory that cannot be used: it depends on what names it.
pub(crate) fn where_else(is_named: bool) -> &'static str {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_named {
        "choose another socket"
    } else if is_set("CCD_HOME") {
        "set CCD_HOME to a directory of yours"
    } else if is_set("XDG_RUNTIME_DIR") {
        "set XDG_RUNTIME_DIR to a directory of yours, or unset it"
    } else {
        "set CCD_HOME to a directory of yours"
    }
}

fn is_ours(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| {
        metadata.is_file()
            && metadata.uid() == rustix::process::geteuid().as_raw()
            // Another name of the same file may be somebody's document.
            && metadata.nlink() == 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn with_mode(folder: &Path, mode: u32) {
        fs::create_dir_all(folder).unwrap();
        fs::set_permissions(folder, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_folder_of_others_and_links_to_folders_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        with_mode(&path("sticky"), 0o1777);
        with_mode(&path("open"), 0o777);
        symlink(place.path(), path("link")).unwrap();
        fs::write(path("file"), "").unwrap();
        for name in ["sticky", "open", "link", "file"] {
            let error = SocketFolder::open(&path(name).join("s"), true).unwrap_err();
            let start = format!("{}: ", path(name).display());
            assert!(error.starts_with(&start), "{error}");
            assert_eq!(
                fs::read_dir(path(name)).map_or(0, Iterator::count),
                if name == "link" { 4 } else { 0 }
            );
        }
        // The daemon restricts its own directory itself.
        assert!(SocketFolder::open(&path("open/s"), false).is_ok());
        assert!(SocketFolder::open(&path("sticky/s"), false).is_err());
        assert!(SocketFolder::open(&path("new/s"), true).is_ok());
        let mode = fs::metadata(path("new")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named_with_what_to_do() {
        // Nobody makes a directory there.
        let socket = Path::new("/proc/self/ccd/s");
        let error = SocketFolder::open(socket, true).unwrap_err();
        let start = "/proc/self/ccd: the directory could not be made: ";
        let is_told = error.starts_with(start) && error.ends_with("; choose another socket");
        assert!(is_told, "{error}");
    }

    #[test]
    fn files_of_others_are_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("s");
        let folder = SocketFolder::open(&socket, true).unwrap();
        let document = place.path().join("document");
        fs::write(&document, "precious").unwrap();
        symlink(&document, folder.path(OUTPUT)).unwrap();
        fs::hard_link(&document, folder.path(LOCK)).unwrap();
        for suffix in [OUTPUT, LOCK] {
            let error = folder.file(suffix).unwrap_err();
            let path = folder.path(suffix);
            assert!(error.starts_with(path.to_str().unwrap()), "{error}");
            fs::remove_file(path).unwrap();
            folder.file(suffix).unwrap();
        }
        assert_eq!(fs::read_to_string(&document).unwrap(), "precious");
    }

    #[test]
    fn what_is_no_file_is_named_and_left() {
        let place = tempfile::tempdir().unwrap();
        let folder = SocketFolder::open(&place.path().join("s"), true).unwrap();
        let path = folder.path(LOCK);
        let make: [fn(&Path); 3] = [
            |path| fs::create_dir(path).unwrap(),
            |path| drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
            |path| {
                let made = std::process::Command::new("mkfifo").arg(path).status();
                assert!(made.unwrap().success());
            },
        ];
        for make in make {
            make(&path);
            let kind = fs::metadata(&path).unwrap().file_type();
            let error = folder.file(LOCK).unwrap_err();
            let told = format!("{}: not a file that ccctl created", path.display());
            assert!(error.starts_with(&told), "{kind:?}: {error}");
            assert_eq!(fs::metadata(&path).unwrap().file_type(), kind);
            fs::remove_dir(&path)
                .or_else(|_| fs::remove_file(&path))
                .unwrap();
        }
    }
}
