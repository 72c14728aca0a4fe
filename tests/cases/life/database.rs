//! What happens to databases: a newer one is refused, a damaged one is set aside.

use crate::support::Daemon;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::Command;

const PAGE_BYTES: u64 = 4096;

fn database(daemon: &Daemon) -> PathBuf {
    daemon.home().join("ccd.sqlite")
}

/// Runs SQL on the database of a stopped daemon; `None` if the program `sqlite3` is not installed.
fn sql(daemon: &Daemon, statement: &str) -> Option<String> {
    let output = Command::new("sqlite3")
        .arg(database(daemon))
        .arg(statement)
        .output();
    match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: sqlite3 is not installed");
            None
        }
        output => {
            let output = output.unwrap();
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
        }
    }
}

/// Returns the files that were set aside: their names start like that of the database and contain `.corrupt-`.
fn set_aside(daemon: &Daemon) -> Vec<String> {
    let names = fs::read_dir(daemon.home())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with("ccd.sqlite.corrupt-"))
        .collect()
}

/// Returns a stopped daemon that has one ended session, and the id of that session.
fn used() -> (Daemon, String) {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["echo", "kept"]);
    connection
        .call_value("session.wait", &json!({"session": session, "for": "exit"}))
        .unwrap();
    daemon.stop();
    (daemon, session)
}

/// Starts the daemon and asserts that it has set the damaged file aside, has reported this, and works.
fn assert_begins_anew(daemon: &mut Daemon) {
    daemon.restart();
    let aside = set_aside(daemon);
    assert_eq!(aside.len(), 1, "{aside:?}");
    let status = daemon.call_value("daemon.status", &json!({})).unwrap();
    assert!(
        status["last_errors"].to_string().contains(&aside[0]),
        "{status}"
    );
    let mut connection = daemon.connect();
    let session = connection.start_session(&["true"]);
    connection
        .call_value("session.wait", &json!({"session": session, "for": "exit"}))
        .unwrap();
    daemon.stop();
    daemon.restart();
    assert!(
        daemon
            .call_value("session.get", &json!({"session": session}))
            .is_ok()
    );
    assert_eq!(set_aside(daemon).len(), 1);
}

#[test]
fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    let (daemon, session) = used();
    let future = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (99999, 'future', 1, x'00', 0)";
    if sql(&daemon, future).is_none() {
        return;
    }
    let before = fs::read(database(&daemon)).unwrap();
    let ran = daemon.run_to_end(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for words in ["newer", "99999", database(&daemon).to_str().unwrap()] {
        assert!(
            ran.stderr.contains(words),
            "{words:?} is missing in {ran:?}"
        );
    }
    assert_eq!(fs::read(database(&daemon)).unwrap(), before);
    assert!(
        daemon
            .home()
            .join("sessions")
            .join(session)
            .join("output.log")
            .exists()
    );
    assert!(
        !daemon.socket().exists(),
        "a daemon that did not start leaves no socket"
    );
}

#[test]
fn a_file_that_is_no_database_is_set_aside_with_a_message() {
    let (mut daemon, _) = used();
    fs::write(database(&daemon), "this is no database ".repeat(1000)).unwrap();
    assert_begins_anew(&mut daemon);
    let aside = daemon.home().join(&set_aside(&daemon)[0]);
    assert!(
        fs::read_to_string(aside)
            .unwrap()
            .starts_with("this is no database")
    );
}

#[test]
fn a_database_with_a_damaged_table_is_set_aside_with_a_message() {
    for table in ["sessions", "history", "jobs"] {
        let (mut daemon, _) = used();
        let Some(page) = sql(
            &daemon,
            &format!("SELECT rootpage FROM sqlite_master WHERE name = '{table}'"),
        ) else {
            return;
        };
        let page: u64 = page.parse().unwrap();
        let file = File::options().write(true).open(database(&daemon)).unwrap();
        file.write_all_at(&[0xa5; PAGE_BYTES as usize], (page - 1) * PAGE_BYTES)
            .unwrap();
        assert_begins_anew(&mut daemon);
    }
}

#[test]
fn the_output_of_sessions_survives_the_loss_of_the_database() {
    let (mut daemon, session) = used();
    fs::write(database(&daemon), "this is no database ".repeat(1000)).unwrap();
    assert_begins_anew(&mut daemon);
    let log = format!("{session}/output.log");
    let folders = fs::read_dir(daemon.home())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let found: Vec<PathBuf> = folders
        .map(|folder| folder.join(&log))
        .filter(|path| path.exists())
        .collect();
    assert_eq!(
        found.len(),
        1,
        "the log is kept somewhere in the base directory"
    );
    assert_eq!(fs::read(&found[0]).unwrap(), b"kept\r\n");
}

#[test]
fn check_is_a_job_that_finds_a_sound_database() {
    let (mut daemon, _) = used();
    daemon.restart();
    let mut connection = daemon.connect();
    let started = connection.call_value("daemon.check", &json!({})).unwrap();
    let job = connection
        .call_value(
            "job.get",
            &json!({"job": started["job"], "wait_ms": 20_000}),
        )
        .unwrap();
    assert_eq!(
        (&job["state"], &job["method"]),
        (&json!("done"), &json!("daemon.check"))
    );
    assert_eq!(job["result"]["problems"], json!([]));
    assert!(
        job["ended_at"].is_string() && job.get("error").is_none_or(Value::is_null),
        "{job}"
    );
}
