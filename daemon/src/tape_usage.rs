//! How often tapes were played: the table `tape_use`.

use crate::store::{Store, StoreError};
use ccd_store::{Connection, SqlResult, Write, insert, query, query_as};
use ccd_tape::index::TapeId;
use ccd_tape::root::{UsageError, UsageStore, Used};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(crate) struct TapeUsage(pub(crate) Store);

ccd_store::row! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    struct TapeUseRow {
        root: String,
        tape_id: String,
        /// Exchanges played since it was recorded.
        used: i64,
        used_at: String,
    }
}

#[derive(Debug)]
enum Change {
    Counts(Vec<TapeUseRow>),
    Forget { root: String, tape_ids: Vec<String> },
}

impl Write for Change {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        match self {
            Self::Counts(rows) => {
                let statement = "INSERT OR REPLACE INTO tape_use ({columns}) {values}";
                insert(connection, statement, rows).await?;
            }
            Self::Forget { root, tape_ids } => {
                for tape_id in tape_ids {
                    let forget = query("DELETE FROM tape_use WHERE root = ?1 AND tape_id = ?2");
                    let forget = forget.bind(root).bind(tape_id);
                    forget.execute(&mut *connection).await?;
                }
            }
        }
        Ok(())
    }
}

type UsageFuture<'a, T> = BoxFuture<'a, Result<T, UsageError>>;

impl UsageStore for TapeUsage {
    fn load<'a>(&'a self, root: &'a Path) -> UsageFuture<'a, Vec<(TapeId, Used)>> {
        async move {
            let query = "SELECT * FROM tape_use WHERE root = ?1";
            let rows = self.rows(query, &root.to_string_lossy()).await?;
            let counts = rows.into_iter().map(|row| {
                let used = Used {
                    exchanges: u64::try_from(row.used).unwrap_or(0),
                    at: row.used_at,
                };
                (row.tape_id.into(), used)
            });
            Ok(counts.collect())
        }
        .boxed()
    }

    fn save<'a>(&'a self, root: &'a Path, counts: &'a [(TapeId, Used)]) -> UsageFuture<'a, ()> {
        let rows = counts.iter().map(|(tape, used)| TapeUseRow {
            root: root.to_string_lossy().into_owned(),
            tape_id: tape.to_string(),
            used: i64::try_from(used.exchanges).unwrap_or(i64::MAX),
            used_at: used.at.clone(),
        });
        let counts = Change::Counts(rows.collect());
        async move { Ok(self.0.commit(counts).await?) }.boxed()
    }

    fn played_before<'a>(&'a self, time: &'a str) -> UsageFuture<'a, Vec<(PathBuf, TapeId)>> {
        async move {
            let query = "SELECT * FROM tape_use WHERE used_at < ?1";
            let rows = self.rows(query, time).await?.into_iter();
            let tapes = rows.map(|row| (row.root.into(), row.tape_id.into()));
            Ok(tapes.collect())
        }
        .boxed()
    }

    fn forget<'a>(&'a self, root: &'a Path, tapes: &'a [TapeId]) -> UsageFuture<'a, ()> {
        let forget = Change::Forget {
            root: root.to_string_lossy().into_owned(),
            tape_ids: tapes.iter().map(ToString::to_string).collect(),
        };
        async move {
            self.0.commit(forget).await?;
            // Until the log is emptied, the names of the tapes can be read in the file.
            self.0.tidy();
            Ok(())
        }
        .boxed()
    }
}

impl TapeUsage {
    async fn rows(&self, query: &'static str, value: &str) -> Result<Vec<TapeUseRow>, StoreError> {
        let rows = query_as(query).bind(value);
        Ok(rows.fetch_all(self.0.readers()).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Opening, SCHEMA};

    #[tokio::test]
    async fn counts_are_replaced_kept_and_forgotten() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("ccd.sqlite");
        let opened = SCHEMA.open(&path, Opening::First).await.unwrap();
        let usage = TapeUsage(opened.database);
        let (root, other) = (Path::new("/r"), Path::new("/other"));
        let of = |tape: &str, exchanges: u64| {
            let at = "2026-01-01T00:00:00.000Z".to_owned();
            (TapeId::from(tape), Used { exchanges, at })
        };
        usage.save(root, &[of("a", 1), of("b", 1)]).await.unwrap();
        usage.save(other, &[of("a", 7)]).await.unwrap();
        usage.save(root, &[of("a", 2)]).await.unwrap();
        usage.forget(root, &["b".into()]).await.unwrap();
        assert_eq!(usage.load(root).await.unwrap(), [of("a", 2)]);
        assert_eq!(usage.load(other).await.unwrap(), [of("a", 7)]);
        let before = |time: &'static str| usage.played_before(time);
        assert_eq!(before("2026-01-01T00:00:00.000Z").await.unwrap(), []);
        let all = before("2026-01-01T00:00:00.001Z").await.unwrap();
        assert_eq!(all.len(), 2);
    }

    #[tokio::test]
    async fn the_name_of_a_forgotten_tape_leaves_the_file() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("ccd.sqlite");
        let opened = SCHEMA.open(&path, Opening::First).await.unwrap();
        let usage = TapeUsage(opened.database);
        let (root, tape) = (Path::new("/r"), TapeId::from("echo/zirbelkiefer"));
        let used = Used {
            exchanges: 1,
            at: "2026-01-01T00:00:00.000Z".to_owned(),
        };
        usage.save(root, &[(tape.clone(), used)]).await.unwrap();
        usage.0.tidy();
        let is_in_files = || {
            let files = std::fs::read_dir(base.path()).unwrap();
            let mut files = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
            files.any(|bytes| memchr::memmem::find(&bytes, b"zirbelkiefer").is_some())
        };
        assert!(is_in_files());
        usage.forget(root, &[tape]).await.unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while is_in_files() {
            assert!(std::time::Instant::now() < deadline, "it stays");
            tokio::task::yield_now().await;
        }
    }
}
