//! The coach's databases, as other programs see them.

use super::candidate;
use crate::hook::{events, failure, silent_hook};
use crate::support::Daemon;
use crate::support::exec::Repository;
use crate::support::files::{files, sqlite};
use crate::support::session::lacks;
use crate::support::worker::{is_one_process, kill_worker};
use serde_json::json;
use std::fs::Permissions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

fn home(daemon: &Daemon) -> PathBuf {
    daemon.home().join(".claude-coach")
}

/// Reports a failed command.
fn fails(daemon: &Daemon, session: &str, id: &str) {
    let payload = failure(session, id, "make", "Exit code 1\nerror: x");
    silent_hook(daemon, &payload);
}

/// The example queries of the schema, unchanged.
const QUERIES: [(&str, &str); 4] = [
    (
        "ledger.sqlite",
        "SELECT * FROM candidates\nWHERE json_array_length(repo_ids) >= 2\nAND status != 'promoted';",
    ),
    (
        "ledger.sqlite",
        "SELECT fingerprint, title, repo_ids, count\nFROM candidates\nWHERE status = 'pending'\nAND json_array_length(repo_ids) >= 2\nORDER BY count DESC;",
    ),
    (
        "events.sqlite",
        "SELECT * FROM events\nWHERE date(timestamp) >= date('now', '-7 days')\nORDER BY timestamp DESC\nLIMIT 100;",
    ),
    (
        "ledger.sqlite",
        "DELETE FROM candidates\nWHERE status = 'rejected'\nAND date(last_seen) < date('now', '-90 days');",
    ),
];

#[test]
fn the_example_queries_run_while_the_daemon_writes() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let daemon = Daemon::start();
    let (one, two) = (Repository::new(), Repository::new());
    candidate(&daemon, &one);
    let error = "Exit code 1\nmerge queue is required";
    let mut payload = failure("s2", "t2", "gh pr merge 8", error);
    payload["cwd"] = json!(two.root());
    silent_hook(&daemon, &payload);
    events(&daemon, 2);
    daemon.ok("coach.aggregate", &json!({}));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..40 {
                fails(&daemon, "s3", &format!("u{number}"));
            }
        });
        for _ in 0..10 {
            for (file, query) in QUERIES {
                sqlite(&home(&daemon).join(file), query);
            }
        }
    });
    let both = sqlite(&home(&daemon).join("ledger.sqlite"), QUERIES[1].1);
    assert_eq!(both.lines().count(), 1, "{both}");
    assert!(both.contains("merge queue"), "{both}");
    events(&daemon, 42);
    let recent = sqlite(&home(&daemon).join("events.sqlite"), QUERIES[2].1);
    assert!(recent.lines().count() >= 42, "{recent}");
}

#[test]
fn databases_exist_from_the_first_hook_and_have_the_schema() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let daemon = Daemon::start();
    let [events_file, ledger] =
        ["events.sqlite", "ledger.sqlite"].map(|name| home(&daemon).join(name));
    fails(&daemon, "s", "t0");
    events(&daemon, 1);
    for (path, table, columns) in [
        (
            &events_file,
            "events",
            "id,timestamp,event_type,signal_type,repo_id,content,context,processed,created_at\n",
        ),
        (
            &ledger,
            "promotions",
            "id,fingerprint,from_scope,to_scope,reason,promoted_at\n",
        ),
    ] {
        let sql = format!("SELECT group_concat(name) FROM pragma_table_info('{table}')");
        assert_eq!(sqlite(path, &sql), columns);
    }
    let foreign = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'ccd_%' AND name != 'events'";
    assert_eq!(sqlite(&events_file, foreign), "");

    // Payloads wait while another program locks the database.
    let mut locking = Command::new("sqlite3")
        .arg(&events_file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = locking.stdin.take().unwrap();
    input
        .write_all(b"BEGIN EXCLUSIVE;\nSELECT 'locked';\n")
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(locking.stdout.as_mut().unwrap());
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "locked\n");
    fails(&daemon, "s", "t1");
    input.write_all(b"COMMIT;\n").unwrap();
    drop(input);
    locking.wait().unwrap();
    events(&daemon, 2);
}

#[test]
fn a_directory_that_is_not_safe_costs_the_coach_alone() {
    let mut daemon = Daemon::builder().prepare();
    std::fs::create_dir(home(&daemon)).unwrap();
    std::fs::set_permissions(home(&daemon), Permissions::from_mode(0o1777)).unwrap();
    daemon.restart();
    let session = daemon.open("cat", &[]);
    session.ask("at first", "at first\n");
    if !is_one_process(&daemon) {
        kill_worker(&daemon);
    }
    session.ask("and after a kill", "and after a kill\n");
    let refused = daemon.error("coach.status", &json!({}));
    assert!(refused.to_string().contains("chmod go-w"), "{refused}");
    std::fs::set_permissions(home(&daemon), Permissions::from_mode(0o700)).unwrap();
    daemon.ok("coach.status", &json!({}));
    session.close();
}

#[test]
fn an_older_events_database_is_completed_and_a_corrupt_one_set_aside() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let mut daemon = Daemon::builder().prepare();
    std::fs::create_dir(home(&daemon)).unwrap();
    let [events_file, ledger] =
        ["events.sqlite", "ledger.sqlite"].map(|name| home(&daemon).join(name));
    sqlite(
        &events_file,
        "CREATE TABLE events (id TEXT PRIMARY KEY, timestamp TEXT NOT NULL, event_type TEXT NOT NULL, signal_type TEXT, content TEXT);
         INSERT INTO events VALUES ('old', '2026-01-01T00:00:00Z', 'pre', 'USER_CORRECTION', 'no')",
    );
    let no_database = "this is no database, but it is long enough to be looked at as one";
    std::fs::write(&ledger, no_database).unwrap();
    daemon.restart();
    fails(&daemon, "s", "t1");
    let events = events(&daemon, 2);
    assert_eq!(events[0]["id"], "old");
    let names = files(&home(&daemon)).into_iter();
    let mut names = names.map(|path| path.display().to_string());
    assert!(names.any(|name| name.contains("ledger.sqlite.corrupt-")));
    assert!(daemon.log_text().contains("set aside"));
}
