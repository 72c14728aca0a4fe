//! The file of the index, which somebody deletes or damages while the daemon has it open.

use crate::conversation::library::{Library, assistant, user};
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::process::Command;

const COUNT: usize = 40;

fn session(number: usize) -> String {
    format!("{number:08}-0000-4000-8000-000000000000")
}

fn filled() -> Library {
    let library = Library::new();
    for number in 0..COUNT {
        let session = session(number);
        let [asked, answered, message] = ["u", "a", "m"].map(|kind| format!("{kind}{number}"));
        let long = format!("word{number} ").repeat(2000);
        let answer = format!("answer{number} common");
        let lines = [
            user(&session, &asked, &long),
            assistant(&session, &answered, &message, &answer, 30),
        ];
        library.write(&library.path(&session), &lines);
    }
    library
}

fn files(library: &Library) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|end| {
        let name = format!("conversations.sqlite{end}");
        library.daemon.home().join(name)
    })
}

/// Returns what the index says: sessions, hits of a word, and sums.
fn answers(library: &Library) -> (Vec<String>, Vec<String>, Value, Value) {
    let stats = library.stats();
    (
        library.listed(),
        library.found(json!({"query": "common", "limit": 100})),
        stats["usage"].clone(),
        stats["messages"].clone(),
    )
}

/// Questions and a write, one of which is the first after the file was changed.
const ASKS: [fn(&Library); 4] = [
    |library| assert_eq!(library.listed().len(), COUNT),
    |library| assert_eq!(library.found(json!({"query": "word7"})), ["u7"]),
    |library| assert_eq!(library.tokens()[1], 30 * COUNT as u64),
    // A write meets it first.
    |library| {
        let (id, path) = (session(COUNT), library.path(&session(COUNT)));
        library.write(&path, &[user(&id, "w", "written")]);
        assert_eq!(library.found(json!({"query": "written"})), ["w"]);
        fs::remove_file(path).unwrap();
    },
];

#[test]
fn an_index_that_is_deleted_or_of_another_build_is_there_again_with_the_next_question() {
    let mut library = filled();
    let fresh = answers(&library);
    assert_eq!((fresh.0.len(), fresh.1.len()), (COUNT, COUNT));
    for ask in &ASKS[..3] {
        for file in files(&library) {
            let _ = fs::remove_file(file);
        }
        ask(&library);
        assert!(files(&library)[0].exists());
        assert_eq!(answers(&library), fresh);
    }
    // Another file at its path, here an older copy of it, is taken for what it is: it lacks what was written since.
    let [file, wal, shm] = files(&library);
    assert!(library.daemon.stop().success());
    let copy = file.with_extension("copy");
    fs::copy(&file, &copy).unwrap();
    library.daemon.restart();
    let line = user(&session(3), "new", "an addition");
    library.add(&library.path(&session(3)), line);
    assert_eq!(library.found(json!({"query": "addition"})), ["new"]);
    fs::rename(copy, &file).unwrap();
    for journal in [wal, shm] {
        let _ = fs::remove_file(journal);
    }
    assert_eq!(library.found(json!({"query": "addition"})), ["new"]);
    assert_eq!(answers(&library), fresh);
    // One of another build is built again.
    for change in [
        "UPDATE _sqlx_migrations SET checksum = x'00'",
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (99, 'newer', 1, x'00', 0)",
    ] {
        assert!(library.daemon.stop().success());
        let changed = Command::new("sqlite3").arg(&file).arg(change).status();
        assert!(changed.unwrap().success());
        library.daemon.restart();
        assert_eq!(answers(&library), fresh);
    }
}

#[test]
fn an_index_that_is_damaged_while_it_is_open_is_built_again() {
    let mut library = filled();
    let fresh = answers(&library);
    for (round, ask) in ASKS.iter().enumerate() {
        // Everything is in the file itself, and nothing of it in memory.
        assert!(library.daemon.stop().success());
        library.daemon.restart();
        let none = library.call("conversation.list", json!({"project": "/nowhere"}));
        assert_eq!(none["total"], 0);
        let file = &files(&library)[0];
        let len = fs::metadata(file).unwrap().len();
        assert!(len > 100_000, "{len}");
        let open = OpenOptions::new().write(true).open(file).unwrap();
        let garbage = vec![0xa5; len as usize - 4096];
        open.write_all_at(&garbage, 4096).unwrap();
        ask(&library);
        assert_eq!(answers(&library), fresh);
        let log = library.daemon.log_text();
        assert_eq!(log.matches("it is built again").count(), round + 1, "{log}");
    }
}
