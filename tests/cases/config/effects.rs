//! Every configuration key has an effect that is visible from outside.

use crate::support::files::files;
use crate::support::{
    Connection, Daemon, assert_fields, assert_has, eventually, eventually_within,
};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// A test that sets a key of a group has the names of both, each before a colon.
#[test]
fn every_key_is_tried() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let read = |file: PathBuf| fs::read_to_string(file).unwrap().replace(['"', '\\'], "");
    let texts: Vec<String> = files(&cases).into_iter().map(read).collect();
    let reply = Daemon::start().ok("config.list", &json!({}));
    for entry in reply["entries"].as_array().unwrap() {
        let key = entry["key"].as_str().unwrap();
        let names: Vec<String> = key.split('.').map(|name| format!("{name}:")).collect();
        let sets_it = |text: &String| names.iter().all(|name| text.contains(name));
        assert!(texts.iter().any(sets_it), "no test sets {key}");
    }
}

fn with(config: &Value) -> Daemon {
    Daemon::with_config(&config.to_string())
}

/// Starts a session that is subject to the configured limits.
fn start(connection: &mut Connection, argv: &[&str]) -> String {
    let params = json!({"program": argv[0], "args": argv[1..]});
    let session = connection.ok("session.create", &params);
    session["session_id"].as_str().unwrap().to_owned()
}

#[test]
fn session_timeout_ends_idle_sessions() {
    let daemon = with(&json!({"session_timeout": 0.3}));
    let mut connection = daemon.connect();
    let idle = start(&mut connection, &["cat"]);
    let lasting = connection.start_session(&["cat"]);
    assert_eq!(connection.ended(&idle)["end_reason"], "idle");
    // Sessions that persist have no such limit.
    assert_eq!(connection.record(&lasting)["state"], "alive");
}

#[test]
fn max_session_runtime_ends_busy_sessions() {
    let daemon = with(&json!({"max_session_runtime": 0.4, "session_timeout": 0}));
    let mut connection = daemon.connect();
    let prints = ["sh", "-c", "while echo; do sleep 0.05; done"];
    let busy = start(&mut connection, &prints);
    let record = connection.ended(&busy);
    assert_fields(
        &record,
        json!({"end_reason": "runtime", "max_session_runtime_s": 0.4}),
    );
}

#[test]
fn max_output_size_ends_a_session_that_prints_more_and_log_rotation_size_cuts_the_log() {
    let daemon = with(&json!({"max_output_size": 100_000, "log_rotation_size": 4096}));
    let mut connection = daemon.connect();
    let script =
        "for i in 1 2 3 4 5 6 7 8; do head -c 2000 /dev/zero | tr '\\0' x; sleep 0.02; done";
    let within = start(&mut connection, &["sh", "-c", script]);
    let record = connection.ended(&within);
    assert_eq!(record["end_reason"], "exited");
    assert!(record["output"]["rotated_at"].is_string(), "{record}");
    let folder = daemon.home().join("sessions").join(&within);
    let logs = files(&folder).into_iter();
    let logs = logs.filter(|file| file.extension().is_some_and(|end| end == "log"));
    assert!(logs.count() >= 2);
    let over = start(&mut connection, &["yes"]);
    assert_eq!(connection.ended(&over)["end_reason"], "output_limit");
}

#[test]
fn output_limit_bounds_the_lines_in_memory() {
    let daemon = with(&json!({"output_limit": 5}));
    let mut connection = daemon.connect();
    let session = start(&mut connection, &["sh", "-c", "seq 1 100; cat"]);
    connection.expect_text(&session, "100\n");
    let text = eventually("older lines are only in the log", || {
        connection.ok("session.send", &json!({"session": session, "text": "\r"}));
        let reply = connection.ok("session.read", &json!({"session": session}));
        let text = reply["text"].as_str().unwrap().to_owned();
        (text.lines().count() <= 6).then_some(text)
    });
    assert!(!text.contains("90"), "{text}");
    let first = json!({"session": session, "since": 0, "lines": 3});
    assert_eq!(connection.ok("session.read", &first)["text"], "1\n2\n3\n");
}

#[test]
fn default_timeout_holds_where_a_request_does_not_say() {
    let daemon = with(&json!({"default_timeout": 0.3}));
    let mut connection = daemon.connect();
    let session = start(&mut connection, &["cat"]);
    assert_eq!(connection.record(&session)["timeout"], 0.3);
    let asked = Instant::now();
    let params = json!({"session": session, "patterns": [{"exact": "never"}]});
    connection.refused("session.expect", &params, "expect_timeout");
    let waited = asked.elapsed().as_secs_f64();
    assert!((0.3..3.0).contains(&waited), "{waited}");
}

#[test]
fn ended_session_ttl_takes_ended_sessions_off_the_list() {
    let daemon = with(&json!({"ended_session_ttl": 0.5}));
    let mut connection = daemon.connect();
    let live = start(&mut connection, &["cat"]);
    let dead = start(&mut connection, &["true"]);
    connection.ended(&dead);
    eventually("only the live one is listed", || {
        (daemon.listed(true) == [&*live]).then_some(())
    });
    // keep_log_days keeps it.
    assert_eq!(connection.record(&dead)["state"], "dead");
}

#[test]
fn ended_session_limit_removes_the_oldest_ended_sessions() {
    let mut daemon = with(&json!({"ended_session_limit": 3}));
    let mut connection = daemon.connect();
    let live = start(&mut connection, &["cat"]);
    let end_one = |connection: &mut Connection| {
        let session = start(connection, &["true"]);
        connection.ended(&session);
        session
    };
    let ended: Vec<String> = (0..5).map(|_| end_one(&mut connection)).collect();
    eventually("only the newest are listed", || {
        let expected: Vec<&String> = [&live].into_iter().chain(&ended[2..]).collect();
        (daemon.listed(true).iter().collect::<Vec<_>>() == expected).then_some(())
    });
    for gone in &ended[..2] {
        connection.refused(
            "session.get",
            &json!({"session": gone}),
            "session_not_found",
        );
        let folder = daemon.home().join("sessions").join(gone);
        eventually("its directory is removed", || {
            (!folder.exists()).then_some(())
        });
    }
    drop(connection);
    daemon.stop();
    daemon.restart();
    // The sessions of the daemon before count, although nobody has asked for them: with the one that was stopped, three
    // are newer than the oldest.
    let mut connection = daemon.connect();
    let newest = end_one(&mut connection);
    eventually("older sessions are removed", || {
        let left = daemon.listed(true);
        (left.len() == 3 && left.contains(&newest) && !left.contains(&ended[2])).then_some(())
    });
}

/// Restarts a daemon after one of its sessions has ended; returns whether the session is still known.
fn is_kept_over_a_restart(config: &Value) -> bool {
    let mut daemon = with(config);
    let mut connection = daemon.connect();
    let session = start(&mut connection, &["echo", "kept"]);
    connection.ended(&session);
    drop(connection);
    daemon.stop();
    daemon.restart();
    // The cleanup runs in the background after the start, so the test waits for up to a second.
    daemon.ping();
    let folder = daemon.home().join("sessions").join(&session);
    let is_gone = eventually_within(Duration::from_secs(1), || {
        daemon.id_of(&session).err().map(drop)
    });
    if is_gone.is_some() {
        eventually("its directory is removed too", || {
            (!folder.exists()).then_some(())
        });
    }
    is_gone.is_none()
}

#[test]
fn keep_log_days_and_auto_cleanup_decide_what_is_collected() {
    std::thread::scope(|scope| {
        for (days, ttl, auto_cleanup, is_kept) in [
            (0, 0, true, false),
            (1, 0, true, true),
            // It is still listed.
            (0, 3600, true, true),
            (0, 0, false, true),
        ] {
            scope.spawn(move || {
                let config = json!({"keep_log_days": days, "ended_session_ttl": ttl, "auto_cleanup": auto_cleanup});
                assert_eq!(is_kept_over_a_restart(&config), is_kept, "{config}");
            });
        }
    });
}

#[test]
fn limits_of_rows_and_columns_hold_for_new_and_resized_terminals() {
    let daemon = with(&json!({"limits": {"rows": 30, "cols": 90}}));
    let mut connection = daemon.connect();
    for (name, value) in [("rows", 31), ("cols", 91)] {
        let params = json!({"program": "cat", name: value});
        let message = connection.refused("session.create", &params, "invalid_argument");
        assert_has(&message, [name, &(value - 1).to_string()]);
    }
    let params = json!({"program": "cat", "rows": 30, "cols": 90});
    let session = connection.ok("session.create", &params)["session_id"].clone();
    let resize = |rows: u16, cols: u16| json!({"session": session, "rows": rows, "cols": cols});
    connection.ok("session.resize", &resize(1, 1));
    for params in [resize(31, 90), resize(30, 91)] {
        connection.refused("session.resize", &params, "invalid_argument");
    }
}

#[test]
fn the_log_has_the_level_the_format_and_the_place_that_are_set() {
    for (level, format, has_info, has_debug) in [
        ("error", "text", false, false),
        ("info", "text", true, false),
        ("debug", "json", true, true),
    ] {
        let logging = json!({"format": format, "destination": "file"});
        let daemon = with(&json!({"log_level": level, "logging": logging}));
        daemon.connect().start_session(&["true"]);
        let text = daemon.log_text();
        let found = (text.contains("INFO"), text.contains("DEBUG"));
        assert_eq!(found, (has_info, has_debug), "{level}: {text}");
        assert_eq!(text.contains("serving"), has_info, "{level}: {text}");
        assert!(daemon.printed().is_empty());
        for line in text.lines() {
            let event = serde_json::from_str::<Value>(line).unwrap_or_default();
            let is_json = event["level"].is_string() && event["timestamp"].is_string();
            assert_eq!(is_json, format == "json", "{line}");
        }
    }
    let shown = with(&json!({"logging": {"destination": "stderr"}}));
    assert!(shown.log_text().is_empty());
    let year = shown.printed();
    assert!(year.contains("serving") && year.starts_with("20"), "{year}");
    let reply = shown.ok("daemon.log", &json!({}));
    assert_eq!(reply["path"], Value::Null);
    // The journal adds the time itself.
    let journal = with(&json!({"logging": {"destination": "journal"}}));
    let none = journal.printed();
    assert!(none.contains("serving"), "{none}");
    assert!(!none.starts_with("20"), "{none}");
}

#[test]
fn keep_days_removes_old_files_of_the_log() {
    let mut daemon = with(&json!({"logging": {"keep_days": 2}}));
    daemon.stop();
    let day = Duration::from_secs(24 * 60 * 60);
    let file = |name: &str, days: u32| {
        let path = daemon.home().join("logs").join(name);
        let file = fs::File::create(&path).unwrap();
        file.set_modified(SystemTime::now() - day * days).unwrap();
        path
    };
    let old = file("ccd.2020-01-01.log", 3);
    let kept = [file("ccd.2020-01-03.log", 1), file("notes.txt", 3)];
    daemon.restart();
    eventually("the old log file is removed", || {
        (!old.exists()).then_some(())
    });
    assert!(kept.iter().all(|path| path.exists()));
}
