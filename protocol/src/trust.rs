//! Whether files of a project are the user's own: the daemon and `ccctl hook` apply the same rule.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Everybody may write.
const WRITABLE_FOR_ALL: u32 = 0o002;

/// Only the owner of a file may remove it from the directory.
const STICKY: u32 = 0o1000;

/// Returns why the file `path` is not to be read, as part of a sentence: it or a directory from `project` down to it is writable for
/// everybody, or belongs to neither `user` nor root. If a link leads out of the project, all directories above the file count,
/// but those higher than its own may be like `/tmp`. What does not exist is nobody else's.
#[must_use]
pub fn distrust(project: &Path, path: &Path, user: u32) -> Option<String> {
    let below = path
        .ancestors()
        .take_while(|part| part.starts_with(project))
        .map(|part| (part, 0));
    let top = project.canonicalize().ok();
    let is_outside = |file: &PathBuf| top.as_ref().is_some_and(|top| !file.starts_with(top));
    let linked = path.canonicalize().ok().filter(is_outside);
    let beyond = linked.iter().flat_map(|file| {
        let strict = if file.is_dir() { 1 } else { 2 };
        let allowed = std::iter::repeat_n(0, strict).chain(std::iter::repeat(STICKY));
        file.ancestors().zip(allowed)
    });
    let why = |(part, allowed): (&Path, u32)| {
        let about = fs::metadata(part).ok()?;
        let name = part.display();
        match about.uid() {
            _ if about.mode() & WRITABLE_FOR_ALL != 0 && about.mode() & allowed == 0 => Some(
                format!("{name} is writable for everybody; run chmod o-w {name}"),
            ),
            owner if owner == user || owner == 0 => None,
            _ => Some(format!(
                "{name} belongs to another user; take it over with sudo chown"
            )),
        }
    };
    let why = below.chain(beyond).filter_map(why).last()?;
    let project = project.display();
    Some(format!(
        "{why}, or trust the project: git config --global --add safe.directory {project}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_file_is_trusted_if_nobody_else_could_have_written_it_or_its_directories() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path();
        let inner = project.join("a/.claude");
        let file = inner.join("x.md");
        fs::create_dir_all(&inner).unwrap();
        fs::write(&file, "").unwrap();
        let user = fs::metadata(project).unwrap().uid();
        let why = |user| distrust(project, &file, user);
        assert_eq!(why(user), None);
        assert_eq!(distrust(project, &inner.join("none"), user), None);
        for part in [project, &project.join("a"), &inner, &file] {
            let mode = fs::metadata(part).unwrap().mode();
            fs::set_permissions(part, Permissions::from_mode(mode | 0o002)).unwrap();
            let told = why(user).unwrap();
            let expected = format!(
                "{0} is writable for everybody; run chmod o-w {0}, or",
                part.display()
            );
            assert!(told.starts_with(&expected), "{told}");
            fs::set_permissions(part, Permissions::from_mode(mode | 0o020)).unwrap();
            assert_eq!(why(user), None, "a group is no matter");
        }
        // What is above the project is no matter either.
        fs::set_permissions(project, Permissions::from_mode(0o777)).unwrap();
        assert_eq!(distrust(&project.join("a"), &file, user), None);
    }

    #[test]
    fn a_link_out_of_the_project_is_trusted_as_the_directories_above_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let [project, outside] = ["project", "a/outside"].map(|name| folder.path().join(name));
        fs::create_dir(&project).unwrap();
        fs::create_dir_all(&outside).unwrap();
        let (file, link) = (outside.join("x.md"), project.join("x.md"));
        fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let user = fs::metadata(&file).unwrap().uid();
        assert_eq!(distrust(&project, &link, user), None);
        let above = outside.parent().unwrap();
        for (part, mode, is_trusted) in [
            (&*file, 0o666, false),
            (&*outside, 0o777, false),
            (&*outside, 0o1777, false),
            (above, 0o777, false),
            (above, 0o1777, true),
        ] {
            let before = fs::metadata(part).unwrap().permissions();
            fs::set_permissions(part, Permissions::from_mode(mode)).unwrap();
            let why = distrust(&project, &link, user);
            assert_eq!(why.is_none(), is_trusted, "{} {mode:o}", part.display());
            fs::set_permissions(part, before).unwrap();
        }
    }

    #[test]
    fn a_file_of_another_user_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.md");
        fs::write(&file, "").unwrap();
        if std::os::unix::fs::chown(&file, Some(12345), None).is_err() {
            eprintln!("skipped: only root can give files to another user");
            return;
        }
        let why = |user| distrust(folder.path(), &file, user);
        assert!(why(0).unwrap().contains("x.md belongs to another user"));
        // The directory is root's.
        assert_eq!(why(12345), None);
    }
}
