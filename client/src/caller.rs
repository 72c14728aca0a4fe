//! What a program inherits from the caller: environment and working directory.

use crate::Failure;
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the whole environment of this process.
///
/// Variables that are not UTF-8 are left out: the wire is JSON.
pub(crate) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Returns the absolute path of `given`, or of the current directory.
///
/// It need not exist: the daemon's error names it.
///
/// # Errors
///
/// [`Failure::Io`] if the current directory no longer exists, [`Failure::Usage`] if the path is not UTF-8.
pub(crate) fn working_directory(given: Option<&str>) -> Result<String, Failure> {
    absolute(Path::new(given.unwrap_or(".")))
}

/// Returns the absolute path of `given`, if it is given.
///
/// # Errors
///
/// As [`working_directory`].
pub(crate) fn given_path(given: Option<&str>) -> Result<Option<String>, Failure> {
    given.map(|path| absolute(Path::new(path))).transpose()
}

/// Returns the absolute form of `path`, with symbolic links resolved if it exists.
///
/// # Errors
///
/// As [`working_directory`].
pub(crate) fn absolute(path: &Path) -> Result<String, Failure> {
    // Links are resolved, so that `--reuse` recognises a directory by either name.
    let path = std::fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .map_err(Failure::io("the current directory"))?;
    path.into_os_string()
        .into_string()
        .map_err(|path| Failure::Usage(format!("the path {path:?} is not UTF-8; give another one")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_start_at_the_root_whether_they_exist_or_not() {
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(Path::new(&working_directory(None).unwrap()), here);
        assert_eq!(
            Path::new(&working_directory(Some("no/such")).unwrap()),
            here.join("no/such")
        );
        assert_eq!(working_directory(Some("/")).unwrap(), "/");
    }
}
