//! The index follows transcripts, before anybody asks.

use crate::conversation::library::{Library, assistant, user};
use crate::support::{assert_has, eventually, throughout};
use serde_json::json;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

const ID: &str = "00000000-0000-4000-8000-000000000000";

/// Returns length and time of the files of the index: the only way to see it without a question that brings it up to date.
fn index(library: &Library) -> Vec<(u64, SystemTime)> {
    let file = |end: &str| {
        let name = format!("conversations.sqlite{end}");
        let found = fs::metadata(library.daemon.home().join(name)).ok()?;
        Some((found.len(), found.modified().unwrap()))
    };
    ["", "-wal"].into_iter().filter_map(file).collect()
}

/// Appends what a user said to the conversation.
fn say(library: &Library, uuid: &str, text: &str) {
    library.add(&library.path(ID), user(ID, uuid, text));
}

#[test]
fn what_changes_is_indexed_by_itself_unless_watch_is_off() {
    for watch in [true, false] {
        let library = Library::configured(&json!({ "watch": watch }));
        say(&library, "u1", "first");
        assert_eq!(library.found(json!({"query": "first"})), ["u1"]);
        let before = index(&library);
        say(&library, "u2", "second");
        if watch {
            eventually("the line is indexed", || {
                (index(&library) != before).then_some(())
            });
        } else {
            throughout(Duration::from_millis(300), || {
                assert_eq!(index(&library), before);
            });
        }
        assert_eq!(library.found(json!({"query": "second"})), ["u2"], "{watch}");
    }
}

#[test]
fn before_the_first_question_there_is_no_index_and_afterwards_it_is_kept_right() {
    let library = Library::new();
    let look = |seconds: u64| {
        // Other settings are a reason to look through all directories.
        let root = library.daemon.home().join(seconds.to_string());
        let config = json!({"conversations": {"roots": [root]}}).to_string();
        fs::write(library.daemon.config_path(), config).unwrap();
        library.call("daemon.reload", json!({}));
    };
    look(1);
    say(&library, "u1", "first");
    look(2);
    throughout(Duration::from_millis(200), || {
        assert!(index(&library).is_empty());
    });
    assert_eq!(library.listed(), [ID]);
    let before = index(&library);
    say(&library, "u2", "second");
    eventually("it is indexed", || {
        (index(&library) != before).then_some(())
    });
}

#[test]
fn no_answer_is_older_than_the_files() {
    let library = Library::new();
    let path = library.path(ID);
    let found = |word: &str| library.found(json!({"query": word, "limit": 200}));
    assert!(found("word").is_empty());
    let mut expected = Vec::new();
    for number in 0..40 {
        let uuid = format!("u{number:02}");
        say(&library, &uuid, &format!("word{number} word"));
        expected.push(uuid);
        assert_eq!(found("word"), expected);
    }
    // New directories, and files in them at once.
    let agent = library.agent_path(ID, "a1");
    library.write(&agent, &[assistant(ID, "s1", "ms1", "word", 9)]);
    expected.insert(0, "s1".into());
    assert_eq!(found("word"), expected);
    // Whose call a sub-agent is may be written after its first record.
    let is_sub = json!({"query": "word", "status": "sub_agent"});
    assert!(library.found(is_sub.clone()).is_empty());
    fs::write(agent.with_extension("meta.json"), r#"{"toolUseId":"t1"}"#).unwrap();
    assert_eq!(library.found(is_sub), ["s1"]);
    let project = path.parent().unwrap();
    let other = project.with_file_name("-srv-mill");
    let away = library.dir().join("away");
    fs::rename(project, &other).unwrap();
    assert_eq!(found("word"), expected);
    let projects = other.parent().unwrap();
    fs::rename(projects, &away).unwrap();
    assert!(found("word").is_empty());
    fs::rename(&away, projects).unwrap();
    assert_eq!(found("word"), expected);
    fs::remove_dir_all(other.join(ID)).unwrap();
    assert_eq!(found("word"), expected[1..]);
    fs::remove_dir_all(projects).unwrap();
    assert!(found("word").is_empty());
}

/// Keeps others from writing to a database until it is dropped.
struct Locked(std::process::Child);

impl Locked {
    fn new(database: &Path) -> Self {
        let hold = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\nc.execute('BEGIN IMMEDIATE')\n\
                    print('locked', flush=True)\nsys.stdin.read()";
        let mut child = Command::new("python3")
            .args(["-c", hold])
            .arg(database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut said).unwrap();
        assert_eq!(said, "locked\n");
        Self(child)
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[test]
fn an_answer_that_is_not_complete_says_so() {
    let library = Library::new();
    say(&library, "u1", "word");
    assert_eq!(library.found(json!({"query": "word"})), ["u1"]);
    let lock = Locked::new(&library.daemon.home().join("conversations.sqlite"));
    let before = fs::metadata(library.path(ID)).unwrap().len();
    say(&library, "u2", "word");
    let added = fs::metadata(library.path(ID)).unwrap().len() - before;
    let left = json!({"files_left": 1, "bytes_left": added});
    for method in ["list", "search", "stats"] {
        let reply = eventually("what is left is known", || {
            let params = json!({"query": "word", "wait_ms": 20});
            let reply = library.call(&format!("conversation.{method}"), params);
            assert!(reply["indexing"].is_object(), "{reply}");
            (reply["indexing"]["files_left"] != 0).then_some(reply)
        });
        assert_eq!(reply["indexing"], left, "{method}");
    }
    let ran = library.ccctl(&["stats"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_has(&ran.stderr, ["ccctl: incomplete: 1 file ("]);
    assert!(ran.stdout.starts_with("incomplete"), "{ran:?}");
    drop(lock);
    let ran = library.ccctl(&["search", "--wait", "word"]);
    assert!(
        ran.stderr.is_empty() && ran.stdout.contains("u2"),
        "{ran:?}"
    );
}
