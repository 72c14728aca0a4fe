//! Finds a tape and its file.

use super::error::FilesError;
use crate::format::{FormatError, Tape, file, read};
use crate::index::{Index, SUFFIX};
use crate::root::Root;
use ccd_protocol::tape::TapeProblem;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAX_CANDIDATES: usize = 10;

/// A directory of tapes at one moment.
#[derive(Clone)]
pub struct TapeFolder {
    pub root: Arc<Root>,
    pub index: Arc<Index>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TapeFile {
    /// The path under the root without `.json5`; for a file elsewhere, its absolute path without that.
    pub id: String,
    pub path: PathBuf,
}

#[derive(Debug)]
pub struct LoadedTape {
    pub which: TapeFile,
    pub text: Vec<u8>,
    pub tape: Tape,
}

impl TapeFolder {
    pub fn new(root: Arc<Root>) -> Self {
        let index = root.index();
        Self { root, index }
    }

    pub(super) fn path(&self) -> &Path {
        &self.root.path
    }

    /// Finds a tape by its id, by a unique part of it, or by the absolute path of its file.
    pub fn which(&self, given: &str) -> Result<TapeFile, FilesError> {
        if given.starts_with('/') {
            return self.by_path(given);
        }
        let id = given.strip_suffix(SUFFIX).unwrap_or(given);
        check_id(id)?;
        // The file is checked and not the index, which may not contain it yet, and does not contain unreadable ones.
        if self.index.path(id).is_file() {
            return Ok(self.by_id(id.to_owned()));
        }
        let all = self.ids();
        let found: Vec<&String> = all.iter().filter(|other| other.contains(id)).collect();
        match found[..] {
            [] => Err(self.not_found(given)),
            [id] => Ok(self.by_id(id.clone())),
            _ => Err(FilesError::Ambiguous {
                given: given.to_owned(),
                candidates: found.into_iter().take(MAX_CANDIDATES).cloned().collect(),
            }),
        }
    }

    /// Returns all tapes of the directory sorted by id, including unreadable ones.
    pub fn all(&self) -> Vec<TapeFile> {
        let ids = self.ids().into_iter();
        ids.map(|id| self.by_id(id)).collect()
    }

    fn by_id(&self, id: String) -> TapeFile {
        let path = self.index.path(&id);
        TapeFile { id, path }
    }

    /// Returns the directory as it is now, so that a caller that has just written a file need not wait until that is
    /// noticed. Blocks.
    pub fn now(&self) -> Self {
        self.root.refresh_all();
        Self::new(Arc::clone(&self.root))
    }

    pub(crate) fn one_or_all(&self, given: Option<&str>) -> Result<Vec<TapeFile>, FilesError> {
        match given {
            Some(given) => Ok(vec![self.which(given)?]),
            None => Ok(self.all()),
        }
    }

    fn by_path(&self, given: &str) -> Result<TapeFile, FilesError> {
        let no_id = |why| FilesError::NoId {
            given: given.to_owned(),
            why,
        };
        if given.contains('\0') {
            return Err(no_id("it contains a NUL character"));
        }
        let Some(stem) = given.strip_suffix(SUFFIX) else {
            return Err(no_id("the name of a tape file ends in .json5"));
        };
        let path = PathBuf::from(given);
        let below = Path::new(stem).strip_prefix(self.path());
        let id = below.map_or(stem, |below| below.to_str().unwrap_or(stem));
        // A broken link is reported when it is read.
        if path.symlink_metadata().is_err() {
            let path = given.to_owned();
            return Err(FilesError::NoFile { path });
        }
        let id = id.to_owned();
        Ok(TapeFile { id, path })
    }

    fn not_found(&self, given: &str) -> FilesError {
        let (given, root) = (given.to_owned(), self.path().display().to_string());
        if given.ends_with(SUFFIX) {
            FilesError::NoSuch { given, root }
        } else {
            FilesError::NotFound { given, root }
        }
    }

    /// Returns problems with files that are not tapes, or whose names cannot be written as ids.
    pub(super) fn nameless(&self) -> impl Iterator<Item = &TapeProblem> {
        let problems = self.index.problems();
        problems.filter(|problem| self.id_of(problem).is_none())
    }

    /// Returns the id of a tape that cannot be read.
    fn id_of(&self, problem: &TapeProblem) -> Option<String> {
        let path = Path::new(&problem.path);
        let below = path.strip_prefix(self.path()).ok()?;
        let id = below.to_str()?.strip_suffix(SUFFIX)?;
        // Bytes in a name that are not UTF-8 are shown as a replacement character, and no file has that name.
        path.symlink_metadata().is_ok().then(|| id.to_owned())
    }

    fn ids(&self) -> Vec<String> {
        let read = self.index.tapes().map(|tape| tape.id.to_string());
        let problems = self.index.problems();
        let unread = problems.filter_map(|problem| self.id_of(problem));
        let ids = BTreeSet::from_iter(read.chain(unread));
        ids.into_iter().collect()
    }
}

impl TapeFile {
    pub fn load(self) -> Result<LoadedTape, FilesError> {
        let text = file::load(&self.path)?;
        let tape = read(&text).map_err(|error| self.wrong(error))?;
        Ok(LoadedTape {
            which: self,
            text,
            tape,
        })
    }

    pub(super) fn wrong(&self, error: FormatError) -> FilesError {
        FilesError::Format {
            path: self.path.display().to_string(),
            error,
        }
    }
}

/// Describes what is wrong with a file, without a position in it.
pub(super) fn problem(path: &Path, error: &impl std::fmt::Display) -> TapeProblem {
    TapeProblem {
        path: path.display().to_string(),
        message: error.to_string(),
        ..TapeProblem::default()
    }
}

/// Rejects ids that leave the root, or are in one of its directories that are not for tapes.
fn check_id(id: &str) -> Result<(), FilesError> {
    let why = match id {
        "" => "it is empty",
        id if id.contains('\0') => "it contains a NUL character",
        id if id.split('/').any(|part| part == "..") => "it leads out of the directory",
        id if id.split('/').any(|part| part.starts_with('.')) => {
            "names that start with a dot are not tapes"
        }
        // A part of an id may end with a directory.
        id if id.contains("//") => "a part of it is empty",
        _ => return Ok(()),
    };
    let given = id.to_owned();
    Err(FilesError::NoId { given, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_stays_in_its_folder() {
        for id in ["a", "sqlite3/rec-2026.1", "a/b/c", "a/"] {
            assert!(check_id(id).is_ok(), "{id}");
        }
        for id in [
            "",
            "..",
            "a/../../b",
            ".journal/x",
            "a/.b",
            "a//b",
            "a\0b",
            ".",
        ] {
            assert!(check_id(id).is_err(), "{id}");
        }
    }
}
