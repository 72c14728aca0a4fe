//! What `daemon.status` says about the configuration: the file in force, the limits, and the sizes of what is stored.

use crate::support::conversation::{ended, start, tapes};
use crate::support::{Ccctl, Daemon, assert_has, eventually};
use serde_json::{Value, json};
use std::fs;

#[test]
fn the_file_in_force_is_named_and_its_limits_hold() {
    let daemon = Daemon::start();
    assert_eq!(daemon.status()["paths"]["config"], Value::Null);
    let text = Ccctl::new(&daemon).ok(&["daemon", "status"]);
    assert!(text.contains("no file, the defaults apply"), "{text}");
    assert!(text.contains("session_timeout 300 s"), "{text}");

    let config = json!({"session_timeout": 0, "max_session_runtime": 0.5, "limits": {"rows": 60}});
    let daemon = Daemon::with_config(&config.to_string());
    let status = daemon.status();
    let path = daemon.config_path();
    assert_eq!(status["paths"]["config"], path.to_str().unwrap());
    for (limit, value) in [
        ("session_timeout_s", 0),
        ("max_session_runtime_s", 1),
        ("rows", 60),
    ] {
        assert_eq!(status["limits"][limit], value, "{limit}");
    }
    let text = Ccctl::new(&daemon).ok(&["daemon", "status"]);
    assert_has(&text, [&format!("config {}", path.display())]);
    assert!(text.contains("session_timeout none"), "{text}");
}

#[test]
fn sizes_are_those_of_tapes_caches_and_the_database() {
    let mut daemon = Daemon::start();
    let session = start(&daemon, &["echo", "x"], &json!({"record": "new"})).unwrap();
    ended(&daemon, &session);
    let tape = fs::metadata(&tapes(&daemon.home().join("tapes"))[0]).unwrap();
    assert_eq!(daemon.status()["sizes"]["tapes"], tape.len());
    // The index is written to its cache when the daemon ends.
    daemon.stop();
    daemon.restart();
    eventually("the tapes are read, and every part has its size", || {
        let sizes = daemon.status()["sizes"].clone();
        let is_there = |part: &str| sizes[part].as_u64().is_some_and(|bytes| bytes > 0);
        let parts = ["tapes", "cache", "database"];
        parts.into_iter().all(is_there).then_some(())
    });
}
