//! How much room the database takes, and that it gives back what it no longer needs.

use crate::support::{Connection, Daemon, eventually_within};
use serde_json::json;
use std::fs;
use std::time::Duration;

/// Returns the size of a file of the database; 0 if there is none.
fn file_bytes(daemon: &Daemon, name: &str) -> u64 {
    let file = fs::metadata(daemon.home().join(name));
    file.map_or(0, |file| file.len())
}

fn send(connection: &mut Connection, session: &str, text: &str) {
    let line = json!({"session": session, "text": text, "newline": true});
    connection.ok("session.send", &line);
}

/// Returns the number of rows that the history of a session has at least.
fn rows(connection: &mut Connection, session: &str) -> usize {
    let history = json!({"session": session, "limit": 10_000});
    let history = connection.ok("session.history", &history);
    history["interactions"].as_array().unwrap().len()
}

#[test]
fn a_send_and_its_output_take_at_most_150_bytes() {
    const SENDS: u64 = 2000;
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    send(&mut connection, &session, "first");
    daemon.stop();
    let before = file_bytes(&daemon, "ccd.sqlite");
    daemon.restart();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    for number in 0..SENDS {
        send(&mut connection, &session, &format!("x{number}"));
    }
    assert!(rows(&mut connection, &session) as u64 > SENDS);
    daemon.stop();
    let grown = file_bytes(&daemon, "ccd.sqlite") - before;
    assert!(grown <= 150 * SENDS, "{} bytes a send", grown / SENDS);
    assert!(grown > 50 * SENDS, "the rows are in another file");
}

#[test]
fn the_file_of_the_database_shrinks_after_sessions_were_removed() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let long = "never printed ".repeat(700);
    // The history has what each of them waited for.
    let wait = json!({"session": session, "patterns": [{"exact": long}], "timeout_ms": 0});
    for _ in 0..200 {
        connection.refused("session.expect", &wait, "expect_timeout");
    }
    connection.ok("session.close", &json!({"session": session}));
    assert!(rows(&mut connection, &session) > 200);
    let bytes = || file_bytes(&daemon, "ccd.sqlite") + file_bytes(&daemon, "ccd.sqlite-wal");
    assert!(bytes() > 2_000_000, "{}", bytes());
    let removed = connection.ok("session.cleanup", &json!({}));
    assert_eq!(removed["removed"], 1);
    let check = connection.ok("daemon.check", &json!({}));
    let finished = json!({"job": check["job"], "wait_ms": 60_000});
    let finished = connection.ok("job.get", &finished);
    assert_eq!(finished["result"]["problems"], json!([]), "{finished}");
    let small = eventually_within(Duration::from_secs(60), || {
        (bytes() <= 200 << 10).then_some(())
    });
    assert!(small.is_some(), "{} bytes", bytes());
    assert_eq!(connection.status()["last_errors"], json!([]));
}
