//! The symbolic links on the way to a file.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Maximum number of links that are followed, as in the kernel.
const MAX_LINKS: usize = 40;

/// Returns the places that determine the target of an absolute path: each link on the way, and the target, which need
/// not exist.
/// No directory in the returned paths is a link.
pub(crate) fn places(path: &Path) -> Vec<PathBuf> {
    let mut places = Vec::new();
    let mut at = PathBuf::from("/");
    let mut rest: VecDeque<OsString> = parts(path);
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            at.pop();
            continue;
        }
        at.push(part);
        let Ok(target) = at.read_link() else { continue };
        places.push(at.clone());
        if places.len() > MAX_LINKS {
            return places;
        }
        if target.is_absolute() {
            at = PathBuf::from("/");
        } else {
            at.pop();
        }
        for part in parts(&target).into_iter().rev() {
            rest.push_front(part);
        }
    }
    places.push(at);
    places
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(_) | Component::ParentDir => Some(part.as_os_str().to_owned()),
        _ => None,
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn each_link_on_the_way_and_its_end_are_places() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let path = |name: &str| base.join(name);
        assert_eq!(places(&path("a/b")), [path("a/b")]);
        std::fs::create_dir(path("real")).unwrap();
        symlink("real", path("linked")).unwrap();
        symlink("../file", path("real/relative")).unwrap();
        symlink(path("real/none"), path("absolute")).unwrap();
        assert_eq!(
            places(&path("linked/relative")),
            [path("linked"), path("real/relative"), path("file")]
        );
        assert_eq!(
            places(&path("absolute")),
            [path("absolute"), path("real/none")]
        );
        symlink("loop", path("loop")).unwrap();
        assert_eq!(places(&path("loop")).len(), MAX_LINKS + 1);
    }
}
