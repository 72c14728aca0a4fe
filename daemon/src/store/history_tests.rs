//! The table of the history before and after the migration that made its rows smaller.

use super::{MIGRATIONS, SCHEMA};
use ccd_session::interaction::{InteractionRow, interactions};
use ccd_store::{
    AnyWrite, Connection, Opening, Schema, SqlResult, Store, Synchronous, Write, query, query_as,
};
use std::path::Path;

/// As builds before the migration have it.
const OLDER: Schema<dyn AnyWrite> = Schema::new(Synchronous::Normal, MIGRATIONS.split_at(6).0);

/// The statements of those builds.
const OLDER_INSERT: &str = "WITH new (session_id, timestamp, action, input_text, output_text, pattern_matched, client,
    client_pid, start_offset, end_offset, form, error_kind, waited_ms, exit_code) AS (VALUES
        ('one', '2026-11-26T12:00:00.001Z', 'START', 'cat', NULL, NULL, 'ccctl', 7, NULL, NULL, NULL, NULL, NULL, NULL),
        ('two', '2026-11-26T12:00:00.999Z', 'SEND', 'typed', NULL, NULL, 'ccctl', 7, 40, NULL, '\"line\"', NULL, NULL, NULL),
        ('one', '1999-12-31T23:59:59.500Z', 'ERROR', NULL, 'text', 'eof', NULL, NULL, 90, 95, NULL, 'timeout', 12, 3),
        ('gone', '2026-11-26T12:00:01.000Z', 'RECV', NULL, 'lost', NULL, NULL, NULL, 0, 4, NULL, NULL, NULL, NULL))
    INSERT INTO interactions (session_id, timestamp, action, input_text, output_text, pattern_matched, client,
    client_pid, start_offset, end_offset, form, error_kind, waited_ms, exit_code)
    SELECT * FROM new WHERE session_id IN (SELECT session_id FROM sessions)";
const OLDER_READ: &str =
    "SELECT * FROM interactions WHERE session_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3";
const OLDER_TRIM: &str =
    "DELETE FROM interactions WHERE session_id = 'one' AND id <= (SELECT id FROM interactions
    WHERE session_id = 'one' ORDER BY id DESC LIMIT 1 OFFSET 1)";
const SESSIONS: &str = "INSERT INTO sessions (session_id, program, args, cwd, timeout, created_at, last_activity, persist,
        encoding, pid, state, terminal_rows, terminal_cols, shell, transient, session_timeout_s, max_session_runtime_s)
    SELECT value, 'cat', '[]', '/', 1, '', '', 0, 'utf-8', 1, 'dead', 1, 1, 0, 0, 1, 1 FROM json_each('[\"one\", \"two\"]')";

struct Sql(&'static str);

impl Write for Sql {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        query(self.0).execute(connection).await.map(drop)
    }
}

async fn open(schema: &Schema<dyn AnyWrite>, path: &Path, how: Opening) -> Store {
    schema.open(path, how).await.unwrap().database
}

/// Returns the rows of a session, as builds before the migration read them.
async fn read(store: &Store, session: &str) -> String {
    let rows = query_as(OLDER_READ).bind(session).bind(i64::MAX).bind(10);
    let rows: Vec<InteractionRow> = rows.fetch_all(store.readers()).await.unwrap();
    format!("{rows:?}")
}

#[tokio::test]
async fn the_history_of_an_older_database_is_kept_and_a_build_that_is_rolled_back_uses_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ccd.sqlite");
    let store = open(&OLDER, &path, Opening::First).await;
    store.commit(Sql(SESSIONS)).await.unwrap();
    store.commit(Sql(OLDER_INSERT)).await.unwrap();
    let before = [read(&store, "one").await, read(&store, "two").await];
    assert!(before[0].contains("1999-12-31T23:59:59.500Z"), "{before:?}");
    store.close().await;

    let store = open(&SCHEMA, &path, Opening::First).await;
    let after = [read(&store, "one").await, read(&store, "two").await];
    assert_eq!(after, before);
    store.commit(Sql(OLDER_INSERT)).await.unwrap();
    let ids = |rows: Vec<InteractionRow>| rows.iter().map(|row| row.id).collect::<Vec<_>>();
    let rows = interactions(&store, "one", 10, i64::MAX).await.unwrap();
    assert_eq!(ids(rows), [1, 3, 4, 6]);
    store.close().await;

    let store = open(&OLDER, &path, Opening::RolledBack).await;
    store.commit(Sql(OLDER_INSERT)).await.unwrap();
    store.commit(Sql(OLDER_TRIM)).await.unwrap();
    let rows = interactions(&store, "one", 10, i64::MAX).await.unwrap();
    assert_eq!(ids(rows), [9], "all but the newest");
    let delete = Sql("DELETE FROM sessions WHERE session_id = 'two'");
    store.commit(delete).await.unwrap();
    assert_eq!(read(&store, "two").await, "[]");
    assert_eq!(store.check().await.unwrap(), [""; 0]);
}
