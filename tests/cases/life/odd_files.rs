//! Something else in the place of a file of ccd is not waited for, not followed and not changed.

use crate::support::files::Odd;
use crate::support::worker::{is_one_process, kill_worker};
use crate::support::{Daemon, assert_has, eventually};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

/// Returns a stopped daemon that has made all its files, and the path of its log.
fn used() -> (Daemon, PathBuf) {
    let mut daemon = Daemon::start();
    // As an older build made its files.
    daemon.ok("coach.mute", &json!({"type": "REPETITION"}));
    daemon.ok("exec.list", &json!({}));
    daemon.ok("conversation.list", &json!({}));
    daemon.stop();
    let mut logs = fs::read_dir(daemon.home().join("logs")).unwrap();
    let log = logs.next().unwrap().unwrap().path();
    (daemon, log)
}

#[test]
fn a_start_without_a_file_it_needs_ends_with_one_line_that_names_it() {
    let (daemon, _) = used();
    let names = ["ccd.sqlite", "ccd.sqlite-wal", "ccd.lock"];
    for odd in Odd::all() {
        for name in names.into_iter().chain(["run/ccd.sock.lock"]) {
            let path = daemon.home().join(name);
            let kept = path.with_extension("kept");
            let had_one = fs::rename(&path, &kept).is_ok();
            let placed = odd.put(&path);
            let ran = daemon.run_to_end(&[]);
            assert_eq!(ran.code, Some(1), "{odd:?} {name}: {ran:?}");
            let named = format!("{} is a", path.display());
            assert_eq!(ran.stderr.lines().count(), 1, "{odd:?}: {ran:?}");
            assert!(ran.stderr.contains(&named), "{odd:?}: {ran:?}");
            placed.take_away();
            if had_one {
                fs::rename(&kept, &path).unwrap();
            }
        }
    }
    assert_eq!(daemon.run_to_end(&["--version"]).code, Some(0));
}

#[test]
fn a_daemon_goes_on_without_the_files_that_it_does_not_need() {
    let (mut daemon, log) = used();
    let coach = daemon.home().join(".claude-coach");
    let home = daemon.home().to_owned();
    let in_use = [
        log.clone(),
        home.join("exec.sqlite"),
        home.join("conversations.sqlite"),
        coach.join("events.sqlite"),
        coach.join("ledger.sqlite"),
        coach.join("config.json"),
    ];
    for odd in Odd::all() {
        let placed: Vec<_> = in_use.iter().map(|path| odd.put(path)).collect();
        daemon.restart();
        let errors = daemon.reports_error(log.to_str().unwrap());
        assert!(errors.contains("standard error"), "{errors}");
        for (method, file) in [
            ("exec.list", "exec.sqlite"),
            ("coach.events", "events.sqlite"),
        ] {
            assert_has(&daemon.error(method, &json!({})), [file]);
        }
        let _ = daemon.call_value("conversation.list", &json!({}));
        let mut connection = daemon.connect();
        let session = connection.start_session(&["echo", "served"]);
        assert_eq!(connection.ended(&session)["exitstatus"], 0);
        assert!(daemon.stop().success());
        for place in placed {
            place.assert_nothing_foreign_changed();
            let found = fs::symlink_metadata(&place.path).unwrap();
            assert!(!found.is_file() || place.path.ends_with("conversations.sqlite"));
            let _ = fs::remove_file(&place.path);
            let _ = fs::remove_dir_all(&place.path);
        }
    }
    daemon.restart();
    daemon.ok("exec.list", &json!({}));
}

#[test]
fn a_call_does_not_wait_for_what_is_in_the_place_of_a_session_s_file() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let other = daemon.open("cat", &[]);
    for odd in Odd::all() {
        let session = daemon.open("sh", &["-c", "echo shown; exec cat"]);
        session.expect("shown\n");
        let folder = daemon.home().join("sessions").join(session.id());
        eventually("it is logged", || {
            fs::read(folder.join("output.log"))
                .is_ok_and(|log| log == b"shown\r\n")
                .then_some(())
        });
        let places = ["screen.json", "sizes.json", "output.base"];
        let placed: Vec<_> = places.map(|name| odd.put(&folder.join(name))).into();
        kill_worker(&daemon);
        assert_eq!(session.screen().lines[0], "shown", "{odd:?}");
        assert_eq!(session.bytes(), b"shown\r\n", "{odd:?}");
        let ended = session.close();
        assert_eq!(json!(ended)["errors"], Value::Null);
        other.ask("and on", "and on\n");
        for place in placed {
            place.assert_nothing_foreign_changed();
        }
    }
}

#[test]
fn something_else_in_the_place_of_the_storage_costs_no_live_session() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let session = daemon.open("cat", &[]);
    for odd in Odd::all() {
        for name in [
            "ccd.sqlite",
            "ccd.sqlite-wal",
            "sessions",
            "logs",
            ".claude-coach",
            "run/ccd.sock.hooks",
        ] {
            session.ask("before", "before\n");
            let path = daemon.home().join(name);
            let kept = daemon.home().join(format!("{name}-{odd:?}"));
            let _ = fs::rename(&path, kept);
            let placed = odd.put(&path);
            let is_replaced = name.contains("sqlite") || odd != Odd::Directory;
            kill_worker(&daemon);
            session.ask("after", "after\n");
            assert_eq!(session.now().pid, session.record.pid, "{odd:?} {name}");
            if is_replaced {
                let errors = daemon.status()["last_errors"].to_string();
                assert!(errors.contains("set aside"), "{odd:?} {name}: {errors}");
            }
            placed.assert_nothing_foreign_changed();
            // What follows is stored as before.
            let mut connection = daemon.connect();
            let next = connection.start_session(&["echo", "served"]);
            assert_eq!(connection.ended(&next)["exitstatus"], 0);
        }
    }
    session.close();
}

#[test]
fn a_directory_that_others_can_use_by_now_costs_no_live_session() {
    let mut daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let runtime = daemon.socket().parent().unwrap().to_owned();
    let before = fs::metadata(&runtime).unwrap().permissions();
    let session = daemon.open("cat", &[]);
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o1777)).unwrap();
    kill_worker(&daemon);
    session.ask("after", "after\n");
    daemon.reports_error("writable by others");
    session.close();
    daemon.stop();
    let ran = daemon.run_to_end(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    fs::set_permissions(&runtime, before).unwrap();
}
