//! Handles of libgit2. Only this file makes them: libgit2 runs no program, whatever the configuration of a repository says.

use crate::error::{RepositoryError, Result};
use crate::owner::{is_trusted, top};
use git2::{ErrorCode, Repository, RepositoryOpenFlags};
use std::path::Path;
use std::sync::Once;

/// Opens the repository that `path` is in. As git does, it does not look in the directories of `GIT_CEILING_DIRECTORIES` or above.
pub(crate) fn discover(path: &Path) -> Result<Repository> {
    open_with(path, RepositoryOpenFlags::CROSS_FS)
}

pub(crate) fn open(path: &Path) -> Result<Repository> {
    open_with(path, RepositoryOpenFlags::NO_SEARCH)
}

fn open_with(path: &Path, flags: RepositoryOpenFlags) -> Result<Repository> {
    static OWN_CHECK: Once = Once::new();
    // SAFETY: it writes a global of libgit2 before anything reads it: nothing else opens repositories.
    OWN_CHECK.call_once(|| unsafe {
        // `is_trusted` knows all forms of `safe.directory`, libgit2 does not.
        let _ = git2::opts::set_verify_owner_validation(false);
    });
    let ceilings = std::env::var_os("GIT_CEILING_DIRECTORIES").unwrap_or_default();
    #[expect(clippy::disallowed_methods, reason = "the only place")]
    let opened = Repository::open_ext(path, flags, std::env::split_paths(&ceilings));
    let repository = opened.map_err(|source| match source.code() {
        ErrorCode::NotFound => RepositoryError::NoRepository(path.to_owned()),
        _ => RepositoryError::git(path)(source),
    })?;
    if is_trusted(&repository) {
        Ok(repository)
    } else {
        Err(RepositoryError::OtherOwner(top(&repository).to_owned()))
    }
}
