//! Errors of a database.

use crate::limits::QUEUE_LEN;
use ccd_protocol::{ErrorCode, Reportable};
use rustix::process::{Resource, getrlimit};
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "database {path:?}: made by a newer ccd (schema {found}, this one knows {known}); start that version, or move the file away"
    )]
    Newer {
        path: PathBuf,
        found: i64,
        known: i64,
    },
    #[error("database {path:?}: cannot be opened: {source}")]
    Open { path: PathBuf, source: sqlx::Error },
    #[error("database {path:?}: cannot be opened: {source}")]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("database {path:?}: damaged: {verdict}")]
    Damaged { path: PathBuf, verdict: String },
    #[error("database {path:?}: cannot be migrated: {source}")]
    Migrate {
        path: PathBuf,
        source: sqlx::migrate::MigrateError,
    },
    #[error("database: cannot be read: {0}")]
    Read(#[from] sqlx::Error),
    #[error("database {path:?}: {QUEUE_LEN} writes already wait; try again shortly")]
    Busy { path: PathBuf },
    #[error("database {path:?}: its disk is full, or the quota on it is used up; free some space")]
    Full { path: PathBuf },
    #[error(
        "database {path:?}: cannot grow, because this daemon may not write files larger than {limit_bytes} bytes; start it with a higher limit (ulimit -f)"
    )]
    FileLimit { path: PathBuf, limit_bytes: u64 },
    #[error("database {path:?}: refused the change: {source}")]
    Write { path: PathBuf, source: sqlx::Error },
    #[error("database {path:?}: closed")]
    Closed { path: PathBuf },
}

impl Reportable for StoreError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Busy { .. } => ErrorCode::Busy,
            Self::Newer { .. }
            | Self::Open { .. }
            | Self::File { .. }
            | Self::Damaged { .. }
            | Self::Migrate { .. }
            | Self::Read(_)
            | Self::Full { .. }
            | Self::FileLimit { .. }
            | Self::Write { .. }
            | Self::Closed { .. } => ErrorCode::Storage,
        }
    }

    fn hint(&self) -> Option<&str> {
        self.is_full()
            .then_some("ccctl session cleanup removes ended sessions and their logs; this call has changed nothing")
    }
}

impl StoreError {
    /// Returns whether SQLite reports that the file is damaged or not a database.
    #[must_use]
    pub fn is_corrupt(&self) -> bool {
        match self {
            Self::Damaged { .. } => true,
            Self::Open { source, .. }
            | Self::Read(source)
            | Self::Write { source, .. }
            | Self::Migrate {
                source: sqlx::migrate::MigrateError::Execute(source),
                ..
            } => matches!(sqlite_code(source), Some(SQLITE_CORRUPT | SQLITE_NOTADB)),
            _ => false,
        }
    }

    /// Returns whether nothing more fits on the disk, or within the limit on the size of files.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full { .. } | Self::FileLimit { .. })
    }

    /// Returns whether another build made the database, whose tables may be different ones.
    #[must_use]
    pub fn is_of_another_build(&self) -> bool {
        use sqlx::migrate::MigrateError::{VersionMismatch, VersionMissing};
        match self {
            Self::Newer { .. } => true,
            Self::Migrate { source, .. } => {
                matches!(source, VersionMismatch(_) | VersionMissing(_))
            }
            _ => false,
        }
    }

    /// Returns whether the database was closed before the operation, or during it.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(
            self,
            Self::Closed { .. } | Self::Read(sqlx::Error::PoolClosed)
        )
    }
}

const SQLITE_FULL: i32 = 13;
const SQLITE_IOERR: i32 = 10;
/// The file of the shared memory (`-shm`) cannot grow.
const SQLITE_IOERR_SHMSIZE: i32 = SQLITE_IOERR | (19 << 8);
const SQLITE_CORRUPT: i32 = 11;
const SQLITE_NOTADB: i32 = 26;

/// Returns the error of a write that failed because nothing more fits; `None` for other errors.
pub(crate) fn full(error: &sqlx::Error, path: &Path) -> Option<StoreError> {
    let path = path.to_owned();
    match sqlite_code(error)? {
        SQLITE_FULL => Some(StoreError::Full { path }),
        SQLITE_IOERR if extended_code(error) == Some(SQLITE_IOERR_SHMSIZE) => {
            Some(StoreError::Full { path })
        }
        // SQLite distinguishes neither a used-up quota nor a file that has reached the limit (`ulimit -f`) from a broken disk.
        SQLITE_IOERR if is_over_quota(&path) => Some(StoreError::Full { path }),
        SQLITE_IOERR => {
            let limit_bytes = getrlimit(Resource::Fsize).current?;
            Some(StoreError::FileLimit { path, limit_bytes })
        }
        _ => None,
    }
}

/// Returns whether the file system refuses another file beside `path` because of a quota. The file never has a name.
#[cfg(target_os = "linux")]
fn is_over_quota(path: &Path) -> bool {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = std::fs::File::options();
    options.custom_flags(rustix::fs::OFlags::TMPFILE.bits().cast_signed());
    let file = options.write(true).open(path.parent().unwrap_or(path));
    let written = file.and_then(|mut file| std::io::Write::write_all(&mut file, &[1; 4096]));
    written.is_err_and(|error| error.kind() == std::io::ErrorKind::QuotaExceeded)
}

#[cfg(not(target_os = "linux"))]
fn is_over_quota(_: &Path) -> bool {
    false
}

/// Returns SQLite's primary result code: the low byte of an extended one.
fn sqlite_code(error: &sqlx::Error) -> Option<i32> {
    Some(extended_code(error)? & 0xff)
}

fn extended_code(error: &sqlx::Error) -> Option<i32> {
    error.as_database_error()?.code()?.parse().ok()
}
