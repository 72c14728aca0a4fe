use crate::database::Inner;
use crate::{AnyWrite, insert, query, query_as, query_scalar};
use crate::{
    Connection, Database, Opening, Schema, SqlResult, Store, StoreError, Synchronous, Write,
};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const NUMBERS: &str = "CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT";
const WORDS: &str =
    "CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL, length INTEGER) STRICT";

/// Numbers, which may be lost in a power failure.
const EVENTS: Schema<NumberWrite> = Schema::new(Synchronous::Normal, &[("numbers", NUMBERS)]);
/// Words, which may not be lost.
const DECISIONS: Schema<Words> = Schema::new(Synchronous::Full, &[("words", WORDS)]);
const BOTH: Schema<dyn AnyWrite> = Schema::new(
    Synchronous::Normal,
    &[("numbers", NUMBERS), ("words", WORDS)],
);

enum NumberWrite {
    Put(i64),
    /// Reports that it is being applied, and waits for permission to continue.
    Hold(Gate),
}

#[derive(Clone)]
struct Gate {
    is_reached: Arc<Semaphore>,
    is_open: Arc<Semaphore>,
}

impl Gate {
    fn new() -> Self {
        let closed = || Arc::new(Semaphore::new(0));
        Self {
            is_reached: closed(),
            is_open: closed(),
        }
    }

    async fn reached(&self) {
        self.is_reached.acquire().await.unwrap().forget();
    }

    fn open(&self) {
        self.is_open.add_permits(1);
    }
}

impl Write for NumberWrite {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        match self {
            Self::Put(number) => {
                let put = query("INSERT INTO numbers VALUES (?1)").bind(number);
                put.execute(connection).await.map(drop)
            }
            Self::Hold(gate) => {
                gate.is_reached.add_permits(1);
                gate.is_open.acquire().await.unwrap().forget();
                Ok(())
            }
        }
    }
}

crate::row! {
    #[derive(Debug, PartialEq)]
    struct Word {
        word: String,
        length: Option<i64>,
    }
    reads {
        id: i64,
    }
}

struct Words(Vec<Word>);

impl Write for Words {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        insert(
            connection,
            "INSERT INTO words ({columns}) {values}",
            &self.0,
        )
        .await
    }
}

fn word(text: &str) -> Word {
    Word {
        word: text.to_owned(),
        length: Some(text.len() as i64),
        id: 0,
    }
}

async fn open<W: AnyWrite + ?Sized>(schema: &Schema<W>, path: &Path) -> Database<W> {
    schema.open(path, Opening::First).await.unwrap().database
}

async fn numbers<W: ?Sized>(database: &Database<W>) -> Vec<i64> {
    let numbers = query_scalar("SELECT number FROM numbers ORDER BY number");
    numbers.fetch_all(database.readers()).await.unwrap()
}

type Answer = JoinHandle<Result<(), StoreError>>;

/// Commits in another task; when this returns, the change waits for the writer or is being applied.
async fn commit_beside(database: &Database<NumberWrite>, write: NumberWrite) -> Answer {
    let committing = database.clone();
    let answer = tokio::spawn(async move { committing.commit(write).await });
    tokio::task::yield_now().await;
    answer
}

/// Holds the writer, so that the following changes become one group.
async fn hold(database: &Database<NumberWrite>) -> (Gate, Answer) {
    let gate = Gate::new();
    let answer = commit_beside(database, NumberWrite::Hold(gate.clone())).await;
    gate.reached().await;
    (gate, answer)
}

#[tokio::test]
async fn changes_that_wait_are_committed_together_and_seen_by_readers_then() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(&EVENTS, &folder.path().join("a.sqlite")).await;
    let (first, _) = hold(&database).await;
    let mut answers = Vec::new();
    for number in 0..100 {
        answers.push(commit_beside(&database, NumberWrite::Put(number)).await);
    }
    let last = Gate::new();
    let _last = commit_beside(&database, NumberWrite::Hold(last.clone())).await;
    assert_eq!(database.queue_len(), 101);
    first.open();
    // It is the last one in their transaction.
    last.reached().await;
    assert_eq!(numbers(&database).await, [0; 0]);
    assert!(answers.iter().all(|answer| !answer.is_finished()));
    last.open();
    for answer in answers {
        answer.await.unwrap().unwrap();
    }
    assert_eq!(numbers(&database).await, Vec::from_iter(0..100));
}

#[tokio::test]
async fn a_change_that_is_refused_takes_no_other_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    let database = open(&EVENTS, &path).await;
    let (gate, _) = hold(&database).await;
    let mut answers = Vec::new();
    for number in [1, 1, 2] {
        answers.push(commit_beside(&database, NumberWrite::Put(number)).await);
    }
    gate.open();
    let mut results = Vec::new();
    for answer in answers {
        results.push(answer.await.unwrap().map_err(|error| error.to_string()));
    }
    assert_eq!((&results[0], &results[2]), (&Ok(()), &Ok(())));
    let refused = results[1].as_ref().unwrap_err();
    assert!(
        refused.contains("a.sqlite") && refused.contains("UNIQUE"),
        "{refused}"
    );
    assert_eq!(numbers(&database).await, [1, 2]);
}

#[tokio::test]
async fn an_acknowledged_change_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    let database = open(&EVENTS, &path).await;
    database.commit(NumberWrite::Put(7)).await.unwrap();
    // The files of a killed process, without a checkpoint.
    let left = tempfile::tempdir().unwrap();
    for name in ["a.sqlite", "a.sqlite-wal"] {
        fs::copy(folder.path().join(name), left.path().join(name)).unwrap();
    }
    let again = open(&EVENTS, &left.path().join("a.sqlite")).await;
    assert_eq!(numbers(&again).await, [7]);
}

#[tokio::test]
async fn a_full_queue_answers_that_it_is_busy() {
    let path = PathBuf::from("/a.sqlite");
    let (writes, _nobody_reads) = mpsc::channel(1);
    let database = Database(Arc::new(Inner {
        readers: sqlx::SqlitePool::connect_lazy("sqlite::memory:").unwrap(),
        shares_connection: false,
        path,
        identity: (0, 0),
        writes,
        patience: Duration::ZERO,
        writer: TaskTracker::new(),
        closing: CancellationToken::new(),
        tidy: Arc::default(),
    }));
    let _waiting = commit_beside(&database, NumberWrite::Put(1)).await;
    assert_eq!(database.queue_len(), 1);
    let refused = database.commit(NumberWrite::Put(2)).await;
    assert!(
        matches!(refused, Err(StoreError::Busy { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    let newer = open(&BOTH, &path).await;
    newer.commit(NumberWrite::Put(1)).await.unwrap();
    newer.close().await;
    let before = fs::read(&path).unwrap();
    let refused = EVENTS.open(&path, Opening::First).await.err().unwrap();
    let words = refused.to_string();
    assert!(
        matches!(
            refused,
            StoreError::Newer {
                found: 2,
                known: 1,
                ..
            }
        ) && words.contains("a.sqlite"),
        "{words}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
    // A build that takes over from one that failed uses the database as it is.
    let rolled_back = EVENTS.open(&path, Opening::RolledBack).await.unwrap();
    assert_eq!(numbers(&rolled_back.database).await, [1]);
}

#[tokio::test]
async fn a_database_of_an_older_version_is_migrated_and_keeps_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    let older = EVENTS.open(&path, Opening::First).await.unwrap();
    assert!(older.is_new && older.set_aside.is_none());
    older.database.commit(NumberWrite::Put(1)).await.unwrap();
    older.database.close().await;
    let newer = BOTH.open(&path, Opening::First).await.unwrap();
    assert!(!newer.is_new);
    newer
        .database
        .commit(Words(vec![word("new")]))
        .await
        .unwrap();
    assert_eq!(numbers(&newer.database).await, [1]);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    let rubbish = "this is not a database ".repeat(100);
    fs::write(&path, &rubbish).unwrap();
    fs::write(folder.path().join("a.sqlite-wal"), "nor this").unwrap();
    let opened = EVENTS.open(&path, Opening::First).await.unwrap();
    let aside = opened.set_aside.unwrap();
    assert!(opened.is_new);
    assert!(
        aside.to_string_lossy().contains("a.sqlite.corrupt-2"),
        "{aside:?}"
    );
    assert_eq!(fs::read_to_string(&aside).unwrap(), rubbish);
    opened.database.commit(NumberWrite::Put(1)).await.unwrap();
    assert_eq!(numbers(&opened.database).await, [1]);
    assert_eq!(opened.database.check().await.unwrap(), [""; 0]);
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn a_file_that_is_gone_or_replaced_is_noticed_and_one_that_is_deleted_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    let database = open(&EVENTS, &path).await;
    database.commit(NumberWrite::Put(1)).await.unwrap();
    assert!(database.is_in_place());
    fs::rename(&path, folder.path().join("b.sqlite")).unwrap();
    assert!(!database.is_in_place());
    fs::write(&path, "").unwrap();
    assert!(!database.is_in_place());
    database.delete().await.unwrap();
    let closed = database.commit(NumberWrite::Put(2)).await.unwrap_err();
    assert!(closed.is_closed(), "{closed}");
    let left = fs::read_dir(folder.path()).unwrap();
    let left: Vec<_> = left.map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["b.sqlite"]);
    let again = open(&EVENTS, &path).await;
    assert!(!again.is(&database) && again.is(&again.clone()));
    assert_eq!(numbers(&again).await, [0; 0]);
}

#[tokio::test]
async fn damage_that_is_found_while_the_database_is_open_is_an_error_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    let database = open(&EVENTS, &path).await;
    database.commit(NumberWrite::Put(1)).await.unwrap();
    database.close().await;
    let database = EVENTS.open(&path, Opening::Again).await.unwrap().database;
    let len = fs::metadata(&path).unwrap().len() as usize;
    fs::write(&path, vec![b'x'; len]).unwrap();
    let read = query_scalar::<_, i64>("SELECT number FROM numbers");
    let read: StoreError = read.fetch_all(database.readers()).await.unwrap_err().into();
    assert!(read.is_corrupt() && !read.is_closed(), "{read}");
    let write = database.commit(NumberWrite::Put(2)).await.unwrap_err();
    assert!(write.is_corrupt(), "{write}");
}

#[tokio::test]
async fn databases_of_two_systems_are_open_in_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let events = open(&EVENTS, &folder.path().join("events.sqlite")).await;
    let decisions = open(&DECISIONS, &folder.path().join("decisions.sqlite")).await;
    let words: Vec<Word> = ["one", "three"].map(word).into();
    let (number, word) = tokio::join!(
        events.commit(NumberWrite::Put(3)),
        decisions.commit(Words(words))
    );
    number.unwrap();
    word.unwrap();
    assert_eq!(numbers(&events).await, [3]);
    let words = query_as("SELECT * FROM words ORDER BY id");
    let words: Vec<Word> = words.fetch_all(decisions.readers()).await.unwrap();
    let found = words
        .iter()
        .map(|row| (row.id, row.word.as_str(), row.length));
    assert_eq!(
        found.collect::<Vec<_>>(),
        [(1, "one", Some(3)), (2, "three", Some(5))]
    );
    let synchronous: i64 = query_scalar("PRAGMA synchronous")
        .fetch_one(decisions.readers())
        .await
        .unwrap();
    assert_eq!(synchronous, 2, "FULL");
}

#[tokio::test]
async fn several_areas_write_to_one_database() {
    let folder = tempfile::tempdir().unwrap();
    let store: Store = open(&BOTH, &folder.path().join("a.sqlite")).await;
    let many = (0..100).map(|number| word(&number.to_string()));
    let (number, word) = tokio::join!(
        store.commit(NumberWrite::Put(1)),
        store.commit(Words(many.collect()))
    );
    number.unwrap();
    word.unwrap();
    let count: i64 = query_scalar("SELECT count(*) FROM words")
        .fetch_one(store.readers())
        .await
        .unwrap();
    assert_eq!((numbers(&store).await, count), (vec![1], 100));
}

#[tokio::test]
async fn closing_commits_what_waits_checkpoints_and_refuses_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    let database = open(&EVENTS, &path).await;
    let (gate, _) = hold(&database).await;
    let waiting = commit_beside(&database, NumberWrite::Put(1)).await;
    let flushed = database.clone();
    let flushed = tokio::spawn(async move { flushed.flush().await });
    let closing = database.clone();
    let closing = tokio::spawn(async move { closing.close().await });
    tokio::task::yield_now().await;
    assert!(database.size_bytes() > 0 && !closing.is_finished() && !flushed.is_finished());
    gate.open();
    closing.await.unwrap();
    waiting.await.unwrap().unwrap();
    flushed.await.unwrap().unwrap();
    let late = database.commit(NumberWrite::Put(2)).await;
    assert!(matches!(late, Err(StoreError::Closed { .. })), "{late:?}");
    let wal = fs::metadata(folder.path().join("a.sqlite-wal"));
    assert_eq!(wal.map_or(0, |meta| meta.len()), 0);
    assert_eq!(numbers(&open(&EVENTS, &path).await).await, [1]);
}

/// A table that another program may have created without the column `length`.
const SHARED: Schema<NumberWrite> = Schema::new(
    Synchronous::Normal,
    &[("words", "CREATE TABLE IF NOT EXISTS words (id INTEGER PRIMARY KEY, word TEXT, length INTEGER DEFAULT 0)")],
)
.shared_with_others(
    "ccd_migrations",
    &[crate::Column {
        table: "words",
        name: "length",
        definition: "INTEGER DEFAULT 0",
    }],
);

#[tokio::test]
async fn a_database_of_another_program_gets_the_columns_that_it_lacks_and_keeps_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared.sqlite");
    const OLDER: Schema<NumberWrite> = Schema::new(
        Synchronous::Normal,
        &[("older", "CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT); INSERT INTO words VALUES (1, 'one')")],
    )
    .shared_with_others("others_migrations", &[]);
    OLDER
        .open(&path, Opening::First)
        .await
        .unwrap()
        .database
        .close()
        .await;
    for _ in 0..2 {
        let opened = SHARED.open(&path, Opening::First).await.unwrap();
        let rows: Vec<(String, i64)> = query_as("SELECT word, length FROM words")
            .fetch_all(opened.database.readers())
            .await
            .unwrap();
        assert_eq!(rows, [("one".to_owned(), 0)]);
        let tables: Vec<String> =
            query_scalar("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
                .fetch_all(opened.database.readers())
                .await
                .unwrap();
        assert_eq!(tables, ["ccd_migrations", "others_migrations", "words"]);
        opened.database.close().await;
    }
    let fresh = SHARED
        .open(&folder.path().join("new.sqlite"), Opening::First)
        .await
        .unwrap();
    assert!(fresh.is_new);
}
