//! Who else could replace a directory: everybody who may change one of the directories above it. One rule for daemon and
//! client.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

const STICKY: u32 = 0o1000;
const WRITABLE_BY_GROUP: u32 = 0o020;
const WRITABLE_BY_ALL: u32 = 0o002;

/// A directory or link above another one through which somebody else could replace that one.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsafeParent {
    #[error("the directory {} above it belongs to user {owner}, not to user {us} or root", .path.display())]
    Foreign { path: PathBuf, owner: u32, us: u32 },
    #[error("the directory {} above it is writable by others (mode {mode:04o})", .path.display())]
    Open {
        path: PathBuf,
        mode: u32,
        /// This user can change the mode.
        is_ours: bool,
    },
}

impl UnsafeParent {
    /// Returns what to do about it; `otherwise`, if the directory must stay as it is.
    pub fn remedy(&self, otherwise: &str) -> String {
        match self {
            Self::Open { is_ours: true, .. } => format!("run chmod go-w on it, or {otherwise}"),
            _ => otherwise.to_owned(),
        }
    }
}

/// The user that a directory must be safe for.
#[derive(Debug, Clone, Copy)]
pub struct User<'a> {
    pub uid: u32,
    /// The primary group, which usually has no other members.
    pub gid: u32,
    /// The home directory is not checked, nor what is above it: who can replace it needs no socket.
    pub home: Option<&'a Path>,
}

/// Checks the directories above `folder`, which must be absolute, and the links in its path. What does not exist is left
/// out; `folder` itself is not checked.
pub fn check_parents(folder: &Path, user: User<'_>) -> Result<(), UnsafeParent> {
    let above = folder.parent().unwrap_or(folder);
    let real = above.ancestors().find_map(|path| path.canonicalize().ok());
    let homes = [
        user.home.map(Path::to_owned),
        user.home.and_then(|home| home.canonicalize().ok()),
    ];
    let is_above_home = |path: &Path| homes.iter().flatten().any(|home| home.starts_with(path));
    above
        .ancestors()
        .chain(real.iter().flat_map(|real| real.ancestors()))
        .filter(|path| !is_above_home(path))
        .filter_map(|path| Some((path, fs::symlink_metadata(path).ok()?)))
        .try_for_each(|(path, metadata)| check(path, &metadata, user))
}

fn check(path: &Path, metadata: &Metadata, user: User<'_>) -> Result<(), UnsafeParent> {
    let (owner, group) = (metadata.uid(), metadata.gid());
    if owner != user.uid && owner != 0 && is_mapped(owner) {
        return Err(UnsafeParent::Foreign {
            path: path.to_owned(),
            owner,
            us: user.uid,
        });
    }
    let mode = metadata.mode() & 0o7777;
    let is_open = mode & WRITABLE_BY_ALL != 0
        || (mode & WRITABLE_BY_GROUP != 0 && group != 0 && group != user.gid);
    // In a sticky directory, each may rename only what is theirs. The mode of a link means nothing.
    if is_open && mode & STICKY == 0 && !metadata.is_symlink() {
        Err(UnsafeParent::Open {
            path: path.to_owned(),
            mode,
            is_ours: owner == user.uid || user.uid == 0,
        })
    } else {
        Ok(())
    }
}

/// False if the number stands for users that this user namespace does not know. In a sandbox without root, that is root too.
fn is_mapped(uid: u32) -> bool {
    let Ok(map) = fs::read_to_string("/proc/self/uid_map") else {
        return true;
    };
    map.lines().any(|line| {
        let mut numbers = line.split_whitespace().map(str::parse::<u32>);
        let (first, _, count) = (numbers.next(), numbers.next(), numbers.next());
        matches!((first, count), (Some(Ok(first)), Some(Ok(count))) if uid >= first && uid - first < count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    /// This user, by what they create. Its files may belong to another group than the primary one.
    fn user_of(folder: &Path) -> User<'static> {
        let metadata = fs::metadata(folder).unwrap();
        let (uid, gid) = (metadata.uid(), metadata.gid());
        let home = None;
        User { uid, gid, home }
    }

    #[test]
    fn a_parent_that_others_may_write_to_is_named_unless_it_is_sticky() {
        let place = tempfile::tempdir().unwrap();
        let user = user_of(place.path());
        let open = place.path().join("open");
        let folder = open.join("a/run");
        fs::create_dir(&open).unwrap();
        for (mode, is_safe) in [(0o755, true), (0o757, false), (0o1777, true)] {
            fs::set_permissions(&open, Permissions::from_mode(mode)).unwrap();
            let error = UnsafeParent::Open {
                path: open.clone(),
                mode,
                is_ours: true,
            };
            let expected = if is_safe { Ok(()) } else { Err(error) };
            // It makes no difference whether what is between exists.
            assert_eq!(check_parents(&folder, user), expected, "{mode:o}");
            fs::create_dir_all(&folder).unwrap();
            assert_eq!(check_parents(&folder, user), expected, "{mode:o}");
            fs::remove_dir_all(open.join("a")).unwrap();
        }
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        let link = place.path().join("link");
        symlink(&open, &link).unwrap();
        assert!(check_parents(&link.join("a/run"), user).is_err());
        let home = Some(&*open);
        assert_eq!(check_parents(&folder, User { home, ..user }), Ok(()));
        // The directory itself is checked by those who open it.
        assert_eq!(check_parents(&open, user), Ok(()));
    }

    #[test]
    fn a_group_of_others_counts_as_others() {
        let place = tempfile::tempdir().unwrap();
        let user = user_of(place.path());
        let shared = place.path().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, Permissions::from_mode(0o775)).unwrap();
        let check = |gid| check_parents(&shared.join("run"), User { gid, ..user });
        assert_eq!(check(user.gid), Ok(()));
        assert_eq!(check(user.gid + 1).is_ok(), user.gid == 0);
        if user.uid == 0 {
            chown(&shared, None, Some(12_345)).unwrap();
            assert!(check(user.gid).is_err());
        }
    }

    #[test]
    fn a_parent_or_link_of_another_user_is_named() {
        let place = tempfile::tempdir().unwrap();
        let user = user_of(place.path());
        let folder = place.path().join("theirs/run");
        fs::create_dir(place.path().join("theirs")).unwrap();
        assert_eq!(check_parents(&folder, user), Ok(()));
        if user.uid == 0 {
            let theirs = place.path().join("theirs");
            chown(&theirs, Some(12_345), None).unwrap();
            let error = check_parents(&folder, user).unwrap_err();
            assert!(error.to_string().contains("theirs"), "{error}");
            chown(&theirs, Some(0), None).unwrap();
            let link = place.path().join("link");
            symlink(&theirs, &link).unwrap();
            assert_eq!(check_parents(&link.join("run"), user), Ok(()));
            std::os::unix::fs::lchown(&link, Some(12_345), None).unwrap();
            assert!(check_parents(&link.join("run"), user).is_err());
        }
    }
}
