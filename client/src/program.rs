//! Programs: where they are, and whether they can be run.

use rustix::fs::{Access, access};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What there is to say if [`find_ccd`] finds nothing.
pub(crate) const NO_CCD: &str =
    "the program ccd is neither next to ccctl nor on PATH; install both in one directory";

/// The daemon's program: next to this one, or on PATH.
pub(crate) fn find_ccd() -> Option<PathBuf> {
    let name = OsStr::new("ccd");
    let own = std::env::current_exe().ok();
    let beside = own.and_then(|own| Some(own.parent()?.join(name)));
    beside
        .filter(|program| is_executable(program))
        .or_else(|| on_path(name))
}

/// The first program of this name on PATH.
pub(crate) fn on_path(name: &OsStr) -> Option<PathBuf> {
    all_on_path(name).next()
}

pub(crate) fn all_on_path(name: &OsStr) -> impl Iterator<Item = PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let paths = folders.into_iter().map(move |folder| folder.join(name));
    paths.filter(|path| path.is_absolute() && is_executable(path))
}

/// True for the path of a program, or the name of one on PATH.
pub(crate) fn can_run(program: &str) -> bool {
    if program.contains('/') {
        is_executable(Path::new(program))
    } else {
        on_path(OsStr::new(program)).is_some()
    }
}

pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

/// True for two paths of one file.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some_and(|one| Some(one) == real(other))
}
