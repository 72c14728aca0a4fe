//! One run per work tree at a time, also between daemons.

use crate::WorkTree;
use rustix::fs::{FlockOperation, OFlags, flock};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};

/// The lock's file in the git folder of the work tree.
const LOCK_FILE: &str = "ccd-exec.lock";

/// How much of the file is read: it could be anybody's.
const HOLDER_LEN: u64 = 4096;

/// A held lock. The kernel releases it when this is dropped or the process ends, however it ends. The file stays.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// For a process that keeps the lock: it is released once all copies of the descriptor are closed.
impl AsFd for Lock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Who holds a lock, as it wrote itself down: nobody checks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockHolder {
    /// Nothing while the holder has not yet written it.
    pub pid: Option<u32>,
    pub note: String,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("{}: process {} is working here ({})", path.display(), holder.pid.map_or("?".to_owned(), |pid| pid.to_string()), holder.note)]
    Held {
        path: std::path::PathBuf,
        holder: LockHolder,
    },
    #[error("{}: cannot be opened as a lock: {source}; check its permissions, and that it is not a link", path.display())]
    File {
        path: std::path::PathBuf,
        source: io::Error,
    },
}

impl Lock {
    /// Takes the lock of `tree` without waiting, and writes this process and `note` (one line) down in it.
    pub fn try_acquire(tree: &WorkTree, note: &str) -> Result<Self, LockError> {
        let path = tree.git_dir.join(LOCK_FILE);
        let failed = |source| LockError::File {
            path: path.clone(),
            source,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            // NONBLOCK: opening a FIFO of this name must not wait for its other end.
            .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32)
            .open(&path)
            .map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(LockError::Held {
                    holder: read_holder(&mut file),
                    path: tree.root.clone(),
                });
            }
            Err(error) => return Err(failed(error.into())),
        }
        write_holder(&mut file, note).map_err(failed)?;
        Ok(Self { file })
    }
}

fn write_holder(file: &mut File, note: &str) -> io::Result<()> {
    // The umask of the process that created the file, or a copied repository, may have changed the mode.
    file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    file.set_len(0)?;
    file.rewind()?;
    let note = note.replace('\n', " ");
    file.write_all(format!("{}\n{note}\n", std::process::id()).as_bytes())
}

fn read_holder(file: &mut File) -> LockHolder {
    let mut bytes = Vec::new();
    // A holder that cannot be read still holds the lock.
    let _ = file.take(HOLDER_LEN).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    LockHolder {
        pid: lines.next().and_then(|line| line.parse().ok()),
        note: lines.next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_repository::{git, repository};
    use std::time::{Duration, Instant};

    #[test]
    fn two_paths_to_one_work_tree_share_the_lock_and_the_holder_is_named() {
        let folder = repository();
        let links = tempfile::tempdir().unwrap();
        let link = links.path().join("link");
        std::os::unix::fs::symlink(folder.path(), &link).unwrap();
        let (one, two) = (WorkTree::find(folder.path()), WorkTree::find(&link));
        let (one, two) = (one.unwrap(), two.unwrap());
        let held = Lock::try_acquire(&one, "request\n7").unwrap();
        let LockError::Held { holder, .. } = Lock::try_acquire(&two, "8").unwrap_err() else {
            panic!("not held");
        };
        assert_eq!(holder.pid, Some(std::process::id()));
        assert_eq!(holder.note, "request 7");
        let file = one.git_dir.join(LOCK_FILE);
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        drop(held);
        // A process that another test is starting has a copy of the descriptor until it runs its program.
        let dropped = Instant::now();
        while let Err(error) = Lock::try_acquire(&two, "8") {
            assert!(dropped.elapsed() < Duration::from_secs(20), "{error}");
            std::thread::yield_now();
        }
        assert_eq!(git(folder.path(), &["status", "--porcelain"]), "");
    }

    #[test]
    fn a_link_in_the_lock_s_place_is_not_followed() {
        let folder = repository();
        let tree = WorkTree::find(folder.path()).unwrap();
        let victim = folder.path().join("a.txt");
        std::os::unix::fs::symlink(&victim, tree.git_dir.join(LOCK_FILE)).unwrap();
        let error = Lock::try_acquire(&tree, "").unwrap_err();
        assert!(matches!(error, LockError::File { .. }), "{error}");
        assert_eq!(std::fs::read(&victim).unwrap(), b"a\n");
    }
}
