//! A damaged database is set aside. What else happens to databases is tested in ccd-store.

use crate::support::Daemon;
use crate::support::files::sqlite;
use crate::support::session::lacks;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

const PAGE_BYTES: u64 = 4096;

fn database(daemon: &Daemon) -> PathBuf {
    daemon.home().join("ccd.sqlite")
}

/// Returns the files that were set aside: their names start like that of the database and contain `.corrupt-`.
fn set_aside(daemon: &Daemon) -> Vec<String> {
    let entries = fs::read_dir(daemon.home()).unwrap().flatten();
    let names = entries.flat_map(|entry| entry.file_name().into_string());
    names
        .filter(|name| name.starts_with("ccd.sqlite.corrupt-"))
        .collect()
}

#[test]
fn a_damaged_database_is_set_aside_with_a_message_and_the_output_is_kept() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let kept = connection.start_session(&["echo", "kept"]);
    connection.ended(&kept);
    daemon.stop();
    for (round, table) in ["", "sessions", "history", "jobs"].into_iter().enumerate() {
        if table.is_empty() {
            fs::write(database(&daemon), "this is no database ".repeat(1000)).unwrap();
        } else {
            let page = format!("SELECT rootpage FROM sqlite_master WHERE name = '{table}'");
            let page: u64 = sqlite(&database(&daemon), &page).trim().parse().unwrap();
            let file = File::options().write(true).open(database(&daemon)).unwrap();
            let noise = [0xa5; PAGE_BYTES as usize];
            file.write_all_at(&noise, (page - 1) * PAGE_BYTES).unwrap();
        }
        let before = set_aside(&daemon);
        daemon.restart();
        let mut aside = set_aside(&daemon);
        aside.retain(|name| !before.contains(name));
        assert_eq!(aside.len(), 1, "{table}: {aside:?}");
        daemon.reports_error(&aside[0]);
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
        assert_eq!(daemon.id_of(&session), Ok(session), "{table}");
        assert_eq!(set_aside(&daemon).len(), round + 1, "{table}");
        daemon.stop();
        let folders = fs::read_dir(daemon.home()).unwrap();
        let logs = folders.map(|folder| folder.unwrap().path().join(&kept).join("output.log"));
        let logs: Vec<_> = logs.filter_map(|log| fs::read(log).ok()).collect();
        assert_eq!(logs, [b"kept\r\n"], "the log is kept somewhere");
    }
}
