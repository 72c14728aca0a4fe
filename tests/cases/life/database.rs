//! What happens to databases: a newer one is refused, a damaged one is set aside.

use crate::support::Daemon;
use serde_json::json;
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
fn a_damaged_database_is_set_aside_with_a_message_and_the_output_is_kept() {
    let (mut daemon, kept) = used();
    for (round, table) in ["", "sessions", "history", "jobs"].into_iter().enumerate() {
        if table.is_empty() {
            fs::write(database(&daemon), "this is no database ".repeat(1000)).unwrap();
        } else {
            let page = format!("SELECT rootpage FROM sqlite_master WHERE name = '{table}'");
            let Some(page) = sql(&daemon, &page) else {
                return;
            };
            let page: u64 = page.parse().unwrap();
            let file = File::options().write(true).open(database(&daemon)).unwrap();
            let noise = [0xa5; PAGE_BYTES as usize];
            file.write_all_at(&noise, (page - 1) * PAGE_BYTES).unwrap();
        }
        let before = set_aside(&daemon);
        daemon.restart();
        let mut aside = set_aside(&daemon);
        aside.retain(|name| !before.contains(name));
        assert_eq!(aside.len(), 1, "{table}: {aside:?}");
        let status = daemon.call_value("daemon.status", &json!({})).unwrap();
        let errors = status["last_errors"].to_string();
        assert!(errors.contains(&aside[0]), "{table}: {status}");
        if table.is_empty() {
            let aside = fs::read_to_string(daemon.home().join(&aside[0])).unwrap();
            assert!(aside.starts_with("this is no database"));
        }
        // The new one works.
        let mut connection = daemon.connect();
        let session = connection.start_session(&["true"]);
        connection.ended(&session);
        daemon.stop();
        daemon.restart();
        let found = daemon.call_value("session.get", &json!({"session": session}));
        assert!(found.is_ok(), "{table}: {found:?}");
        assert_eq!(set_aside(&daemon).len(), round + 1, "{table}");
        daemon.stop();
        let folders = fs::read_dir(daemon.home()).unwrap();
        let logs = folders.map(|folder| folder.unwrap().path().join(&kept).join("output.log"));
        let logs: Vec<_> = logs.filter_map(|log| fs::read(log).ok()).collect();
        assert_eq!(logs, [b"kept\r\n"], "the log is kept somewhere");
    }
}
