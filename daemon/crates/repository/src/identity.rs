//! Whose directory it is.

use crate::error::RepositoryError;
use crate::open::discover;
use crate::owner::top;
use git2::Repository;
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread::Builder;
use std::time::Duration;

/// What a directory belongs to: a repository or, outside of one, only itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The first 16 hexadecimal digits of SHA-256 of the URL of the remote `origin`, as git prints it; without one, of
    /// the top directory's path.
    pub id: String,
    /// The same for every clone, whatever the protocol of its URL, and for every work tree of a repository. For
    /// comparisons only.
    pub key: String,
    /// The top directory of the work tree; outside a repository the directory itself.
    pub root: PathBuf,
    pub is_repository: bool,
}

/// How long a repository may take to say what it is.
const LIMIT: Duration = Duration::from_secs(2);

impl Identity {
    /// What a directory outside of any repository is.
    #[must_use]
    pub fn alone(folder: &Path) -> Self {
        let hash = hash(folder.as_os_str().as_encoded_bytes());
        Self {
            id: hash.clone(),
            key: hash,
            root: folder.to_owned(),
            is_repository: false,
        }
    }
}

/// Returns what `folder` belongs to, which need not exist; nothing if git does not answer in time.
#[must_use]
pub fn identify(folder: &Path) -> Option<Identity> {
    let (sender, found) = sync_channel(1);
    let looked_at = folder.to_owned();
    let look = move || {
        let identity = match discover(&looked_at) {
            Ok(repository) => Some(identify_repository(&repository)),
            // It is a repository, of which git says nothing.
            Err(RepositoryError::NoAnswer(_) | RepositoryError::NotRegular(_)) => None,
            Err(_) => Some(Identity::alone(&looked_at)),
        };
        let _ = sender.send(identity);
    };
    let _ = Builder::new().name("identify".to_owned()).spawn(look);
    found.recv_timeout(LIMIT).ok().flatten()
}

fn identify_repository(repository: &Repository) -> Identity {
    let root: PathBuf = top(repository).components().collect();
    let origin = repository.find_remote("origin").ok();
    let url = origin
        .as_ref()
        .map(|remote| remote.url_bytes().trim_ascii().to_vec())
        .filter(|url| !url.is_empty());
    let (id, key) = match url {
        Some(url) => (
            hash(&url),
            hash(canonical(&String::from_utf8_lossy(&url)).as_bytes()),
        ),
        None => (
            hash(root.as_os_str().as_encoded_bytes()),
            hash(repository.commondir().as_os_str().as_encoded_bytes()),
        ),
    };
    Identity {
        id,
        key,
        root,
        is_repository: true,
    }
}

/// Returns `host/path` of a URL, which all clones share: without scheme, user, port, a trailing slash and `.git`.
fn canonical(url: &str) -> String {
    let (rest, has_scheme) = match url.split_once("://") {
        Some((_, rest)) => (rest, true),
        None => (url, false),
    };
    // `host:path` is a path on a host, unless a slash comes first.
    let separator = |c: char| c == '/' || (!has_scheme && c == ':');
    let Some((host, path)) = rest.split_once(separator) else {
        return rest.to_owned();
    };
    if !has_scheme && !rest[host.len()..].starts_with(':') {
        return rest.trim_end_matches('/').to_owned(); // a local path
    }
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    format!("{}/{path}", host.to_ascii_lowercase())
}

fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_repository::{git, repository};

    #[test]
    fn clones_by_any_protocol_have_one_key() {
        for url in [
            "https://github.com/a/b.git",
            "https://user:x@GitHub.com:443/a/b/",
            "ssh://git@github.com/a/b.git",
            "git@github.com:a/b.git",
            "github.com:/a/b",
        ] {
            assert_eq!(canonical(url), "github.com/a/b", "{url}");
        }
        assert_eq!(canonical("/srv/git/x.git/"), "/srv/git/x.git");
        assert_eq!(canonical("../x"), "../x");
        assert_eq!(canonical("x"), "x");
    }

    #[test]
    fn the_id_is_that_of_the_url_and_every_directory_of_the_repository_has_it() {
        let folder = repository();
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        let without = identify(&inner).unwrap();
        assert!(without.is_repository);
        assert_eq!(without, identify(folder.path()).unwrap());
        git(
            folder.path(),
            &["remote", "add", "origin", "git@example.com:a/b.git"],
        );
        let with = identify(&inner).unwrap();
        // printf %s git@example.com:a/b.git | sha256sum
        assert_eq!(with.id, hash(b"git@example.com:a/b.git"));
        assert_eq!(
            with.root.canonicalize().unwrap(),
            folder.path().canonicalize().unwrap()
        );
        assert_ne!(with.id, without.id);
    }

    #[test]
    fn a_repository_that_does_not_answer_is_not_waited_for() {
        let folder = repository();
        let script = "mkfifo pipe; git config include.path ../pipe";
        crate::test_repository::sh(folder.path(), script);
        assert_eq!(identify(folder.path()), None);
    }

    #[test]
    fn a_directory_outside_a_repository_is_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let identity = identify(&folder.path().join("missing")).unwrap();
        assert!(!identity.is_repository);
        assert_eq!(identity.id.len(), 16);
        assert_eq!(identity.root, folder.path().join("missing"));
    }
}
