//! Directories of JSON files that users keep by name: program configurations and chains.

use crate::memory::give_back_memory_soon;
use crate::own_file;
use ccd_base::whole_file::{self, Durability, remove_strays};
use ccd_protocol::SessionId;
use ccd_protocol::{ErrorCode, Reportable};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::Any;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::task::JoinError;

const MAX_BYTES: u64 = 4 << 20;

const MAX_DOCUMENTS: usize = 10_000;

const SUFFIX: &str = "json";

#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    #[error("{} cannot be read: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} cannot be written: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} is not valid: {source}", .path.display())]
    Shape {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("{} would have {len} bytes: at most {max} are allowed", .path.display())]
    TooLarge { path: PathBuf, len: u64, max: u64 },
    #[error("{} contains {MAX_DOCUMENTS} documents already: delete some", .path.display())]
    Full { path: PathBuf },
}

impl Reportable for DocumentError {
    fn code(&self) -> ErrorCode {
        ErrorCode::Storage
    }
}

/// A directory with one file per name, `{name}.json`. It is created with the first document, accessible only to this
/// user.
/// Files may also be written by hand, so each is read again for every request.
#[derive(Debug, Clone)]
pub struct Documents {
    folder: PathBuf,
}

impl Documents {
    /// Returns the documents in `folder`. Deletes temporary files, so no other process may be writing.
    pub fn new(folder: PathBuf) -> Self {
        remove_strays(&folder, Duration::ZERO);
        Self { folder }
    }

    /// Returns the names, sorted; files whose names are not valid are left out.
    pub async fn names(&self) -> Result<Vec<SessionId>, DocumentError> {
        let folder = self.folder.clone();
        blocking(move || names(&folder)).await
    }

    /// Reads a document; `None` if there is none of this name.
    pub async fn get<T>(&self, name: &SessionId) -> Result<Option<T>, DocumentError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let path = self.path(name);
        blocking(move || read(&path)).await
    }

    /// True if there is a document of this name, whether valid or not.
    pub async fn exists(&self, name: &SessionId) -> Result<bool, DocumentError> {
        let path = self.path(name);
        blocking(move || {
            path.try_exists()
                .map_err(|source| DocumentError::Read { path, source })
        })
        .await
    }

    /// Writes or replaces the document of this name; it is on disk when this returns.
    /// On an error, the old document is kept.
    pub async fn save<T>(&self, name: &SessionId, document: T) -> Result<(), DocumentError>
    where
        T: Serialize + Send + 'static,
    {
        let (folder, path) = (self.folder.clone(), self.path(name));
        blocking(move || {
            if !path.exists() && names(&folder)?.len() >= MAX_DOCUMENTS {
                return Err(DocumentError::Full { path: folder });
            }
            write(&path, &document)
        })
        .await
    }

    pub async fn delete(&self, name: &SessionId) -> Result<bool, DocumentError> {
        let path = self.path(name);
        blocking(move || match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(DocumentError::Write { path, source }),
        })
        .await
    }

    /// Returns the path of a document. A [`SessionId`] is safe as a file name.
    pub fn path(&self, name: &SessionId) -> PathBuf {
        self.folder.join(format!("{name}.{SUFFIX}"))
    }
}

/// Reads the JSON file at `path`; `None` if there is none.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, DocumentError> {
    let failed = |source| DocumentError::Read {
        path: path.to_owned(),
        source,
    };
    let content = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(failed(source)),
        Ok(facts) if !facts.is_file() => {
            return Err(failed(io::Error::other("it is not a file")));
        }
        Ok(facts) if facts.len() > MAX_BYTES => {
            return Err(failed(io::Error::other("it is too large")));
        }
        Ok(_) => own_file::document(path, MAX_BYTES).map_err(failed)?,
    };
    serde_json::from_slice(&content)
        .map(Some)
        .map_err(|source| DocumentError::Shape {
            path: path.to_owned(),
            source,
        })
}

/// Writes `document` to `path` atomically: a reader sees the old one or the new one, even after a crash.
pub fn write<T: Serialize>(path: &Path, document: &T) -> Result<(), DocumentError> {
    write_at_most(path, document, MAX_BYTES)
}

/// Does the same with a document of at most `max` bytes.
pub fn write_at_most<T: Serialize>(
    path: &Path,
    document: &T,
    max: u64,
) -> Result<(), DocumentError> {
    let failed = |source: io::Error| DocumentError::Write {
        path: path.to_owned(),
        source,
    };
    let mut content = serde_json::to_vec_pretty(document).map_err(|error| failed(error.into()))?;
    content.push(b'\n');
    if content.len() as u64 > max {
        return Err(DocumentError::TooLarge {
            path: path.to_owned(),
            len: content.len() as u64,
            max,
        });
    }
    replace(path, &content).map_err(failed)
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    whole_file::replace(path, content, 0o600, Durability::Now)
}

fn names(folder: &Path) -> Result<Vec<SessionId>, DocumentError> {
    let failed = |source| DocumentError::Read {
        path: folder.to_owned(),
        source,
    };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        let is_document = path.extension().is_some_and(|suffix| suffix == SUFFIX);
        let name = path.file_stem().and_then(|stem| stem.to_str());
        names.extend(
            name.filter(|_| is_document)
                .and_then(|name| SessionId::parse(name).ok()),
        );
    }
    names.sort();
    Ok(names)
}

/// Does work that blocks on a thread for it; a panic there is an error.
pub async fn blocking_io<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    on_thread(work).await.map_err(io::Error::other).flatten()
}

/// Does work that blocks on a thread for it; a panic there goes on here.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let done = on_thread(work).await;
    done.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}

/// Work that takes this long may have used much memory.
const LONG_WORK: Duration = Duration::from_millis(20);

/// Boxes work and result, so that there is one kind of task for all.
async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    let work: Box<dyn FnOnce() -> Box<dyn Any + Send> + Send> = Box::new(|| {
        let start = Instant::now();
        let done = work();
        if start.elapsed() >= LONG_WORK {
            give_back_memory_soon();
        }
        Box::new(done)
    });
    let done = tokio::task::spawn_blocking(work).await?;
    match done.downcast() {
        Ok(done) => Ok(*done),
        Err(_) => unreachable!("work returns its own type"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn name(text: &str) -> SessionId {
        SessionId::parse(text).unwrap()
    }

    #[tokio::test]
    async fn what_is_saved_is_read_listed_and_deleted() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("programs");
        let documents = Documents::new(folder.clone());
        assert_eq!(documents.names().await.unwrap(), []);
        assert_eq!(documents.get::<u8>(&name("a")).await.unwrap(), None);
        documents.save(&name("b"), 1).await.unwrap();
        documents.save(&name("a"), 2).await.unwrap();
        documents.save(&name("a"), 3).await.unwrap();
        assert_eq!(documents.names().await.unwrap(), [name("a"), name("b")]);
        assert_eq!(documents.get::<u8>(&name("a")).await.unwrap(), Some(3));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&folder), mode(&folder.join("a.json"))),
            (0o700, 0o600)
        );
        assert!(documents.delete(&name("a")).await.unwrap());
        assert!(!documents.delete(&name("a")).await.unwrap());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn a_file_of_another_shape_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let documents = Documents::new(folder.path().to_owned());
        fs::write(folder.path().join("x.json"), "{\n  \"a\": ]").unwrap();
        fs::write(folder.path().join("not a name.json"), "1").unwrap();
        fs::create_dir(folder.path().join("folder.json")).unwrap();
        let error = documents.get::<u8>(&name("x")).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("x.json") && text.contains("line 1"), "{text}");
        let error = documents.get::<u8>(&name("folder")).await.unwrap_err();
        assert!(error.to_string().contains("not a file"), "{error}");
    }

    #[tokio::test]
    async fn what_a_killed_write_has_left_goes_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str| fs::write(folder.path().join(name), "1").unwrap();
        for name in [
            ".b4a3cfac9d18e719.new",
            ".mine.new",
            "x.json",
            "b4a3cfac9d18e719.new",
        ] {
            put(name);
        }
        let documents = Documents::new(folder.path().to_owned());
        assert_eq!(documents.names().await.unwrap(), [name("x")]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        assert!(!folder.path().join(".b4a3cfac9d18e719.new").exists());
    }

    #[tokio::test]
    async fn one_too_large_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let documents = Documents::new(folder.path().to_owned());
        documents.save(&name("x"), "old").await.unwrap();
        let large = "x".repeat(5 << 20);
        assert!(matches!(
            documents.save(&name("x"), large).await,
            Err(DocumentError::TooLarge { .. })
        ));
        let kept = documents.get::<String>(&name("x")).await.unwrap();
        assert_eq!(kept.as_deref(), Some("old"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
