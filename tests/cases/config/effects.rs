//! Every configuration key has an effect that is visible from outside.

use crate::support::{Connection, Daemon, eventually, kind};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant, SystemTime};

/// Keys with tests in `hook/` and `coach/`.
const OF_HOOKS: [&str; 8] = [
    "hooks.enabled",
    "hooks.timeout_ms",
    "hooks.spool_bytes",
    "hooks.keep_days",
    "coach.record",
    "coach.session_events",
    "coach.keep_event_days",
    "coach.guards",
];

/// Keys with tests in `exec/`.
const OF_RUNS: [&str; 9] = [
    "exec.claude",
    "exec.timeout",
    "exec.lock_timeout",
    "exec.parallel",
    "exec.stall_s",
    "exec.grace_s",
    "exec.session_days",
    "exec.keep_days",
    "exec.worktree_setup",
];

/// Keys with tests in `conversation/`.
const OF_CONVERSATIONS: [&str; 4] = [
    "conversations.roots",
    "conversations.watch",
    "conversations.archive",
    "conversations.prices",
];

/// Keys with tests in `memory/hook.rs`.
const OF_MEMORY: [&str; 3] = ["memory.load", "memory.save_on", "memory.digest_chars"];

/// Keys with tests in `discover/`.
const OF_DISCOVER: [&str; 10] = [
    "safe_mode",
    "investigation.max_depth",
    "investigation.timeout",
    "investigation.step_timeout",
    "investigation.sandbox",
    "testing.memory_mb",
    "testing.cpu_percent",
    "testing.copies",
    "testing.fuzz_inputs",
    "testing.timeout",
];

/// Keys whose effects are tested in `connection/`, in `reload.rs`, and with the pipes.
const ELSEWHERE: [&str; 9] = [
    "max_sessions",
    "pipe_dir",
    "allow_root_peer",
    "limits.connections",
    "limits.in_flight",
    "limits.batch",
    "limits.frame_bytes",
    "limits.reply_bytes",
    "logging.max_file_bytes",
];

/// Keys whose effects are tested with the tapes.
const OF_TAPES: [&str; 21] = [
    "replay.tapes_path",
    "replay.record",
    "replay.fallback",
    "replay.latency",
    "replay.error_rate",
    "replay.summary",
    "replay.silent",
    "replay.debug",
    "replay.allow_env",
    "replay.ignore_env",
    "replay.ignore_args",
    "replay.ignore_stdin",
    "replay.match_cwd",
    "replay.strict",
    "replay.redact",
    "replay.redact_rules",
    "replay.seed",
    "replay.decorators",
    "replay.name",
    "replay.tag",
    "replay.retention_days",
];

/// Keys whose effects are tested with agents.
const OF_AGENTS: [&str; 3] = ["mcp.programs", "mcp.sessions", "mcp.read_only"];

/// Keys with a test in this file.
const HERE: [&str; 16] = [
    "session_timeout",
    "max_session_runtime",
    "max_output_size",
    "output_limit",
    "default_timeout",
    "auto_cleanup",
    "log_rotation_size",
    "keep_log_days",
    "ended_session_ttl",
    "ended_session_limit",
    "log_level",
    "limits.rows",
    "limits.cols",
    "logging.format",
    "logging.destination",
    "logging.keep_days",
];

#[test]
fn every_key_is_tried() {
    let daemon = Daemon::start();
    let reply = daemon.call_value("config.list", &json!({})).unwrap();
    let listed = reply["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["key"].as_str().unwrap());
    let listed: BTreeSet<&str> = listed.collect();
    let known = ELSEWHERE
        .into_iter()
        .chain(OF_TAPES)
        .chain(OF_HOOKS)
        .chain(OF_RUNS)
        .chain(OF_CONVERSATIONS)
        .chain(OF_MEMORY)
        .chain(OF_DISCOVER)
        .chain(OF_AGENTS)
        .chain(HERE);
    assert_eq!(listed, known.collect());
}

fn with(config: Value) -> Daemon {
    Daemon::builder().config(&config.to_string()).start()
}

/// Starts a session that is subject to the configured limits.
fn start(connection: &mut Connection, argv: &[&str]) -> String {
    let params = json!({"program": argv[0], "args": argv[1..]});
    let session = connection.call_value("session.create", &params).unwrap();
    session["session_id"].as_str().unwrap().to_owned()
}

#[test]
fn session_timeout_ends_idle_sessions() {
    let daemon = with(json!({"session_timeout": 0.3}));
    let mut connection = daemon.connect();
    let idle = start(&mut connection, &["cat"]);
    let lasting = connection.start_session(&["cat"]);
    assert_eq!(connection.ended(&idle)["end_reason"], "idle");
    assert_eq!(
        connection.record(&lasting)["state"],
        "alive",
        "persist sessions have no such limit"
    );
}

#[test]
fn max_session_runtime_ends_busy_sessions() {
    let daemon = with(json!({"max_session_runtime": 0.4, "session_timeout": 0}));
    let mut connection = daemon.connect();
    let busy = start(
        &mut connection,
        &["sh", "-c", "while echo; do sleep 0.05; done"],
    );
    let record = connection.ended(&busy);
    assert_eq!(record["end_reason"], "runtime");
    assert_eq!(record["max_session_runtime_s"], 0.4);
}

#[test]
fn max_output_size_ends_a_session_that_prints_more_and_log_rotation_size_cuts_the_log() {
    let daemon = with(json!({"max_output_size": 100_000, "log_rotation_size": 4096}));
    let mut connection = daemon.connect();
    let script =
        "for i in 1 2 3 4 5 6 7 8; do head -c 2000 /dev/zero | tr '\\0' x; sleep 0.02; done";
    let within = start(&mut connection, &["sh", "-c", script]);
    let record = connection.ended(&within);
    assert_eq!(record["end_reason"], "exited");
    assert!(record["output"]["rotated_at"].is_string(), "{record}");
    let folder = daemon.home().join("sessions").join(&within);
    let logs = fs::read_dir(folder).unwrap().filter(|file| {
        let name = file.as_ref().unwrap().file_name().into_string().unwrap();
        name.ends_with(".log")
    });
    assert!(logs.count() >= 2);
    let over = start(&mut connection, &["yes"]);
    assert_eq!(connection.ended(&over)["end_reason"], "output_limit");
}

#[test]
fn output_limit_bounds_the_lines_in_memory() {
    let daemon = with(json!({"output_limit": 5}));
    let mut connection = daemon.connect();
    let session = start(&mut connection, &["sh", "-c", "seq 1 100; cat"]);
    let params = json!({"session": session, "patterns": [{"exact": "100\n"}]});
    connection.call_value("session.expect", &params).unwrap();
    let text = eventually("older lines are only in the log", || {
        connection
            .call_value("session.send", &json!({"session": session, "text": "\r"}))
            .unwrap();
        let reply = connection
            .call_value("session.read", &json!({"session": session}))
            .unwrap();
        let text = reply["text"].as_str().unwrap().to_owned();
        (text.lines().count() <= 6).then_some(text)
    });
    assert!(!text.contains("90"), "{text}");
    let all = connection
        .call_value(
            "session.read",
            &json!({"session": session, "since": 0, "lines": 3}),
        )
        .unwrap();
    assert_eq!(all["text"], "1\n2\n3\n");
}

#[test]
fn default_timeout_holds_where_a_request_does_not_say() {
    let daemon = with(json!({"default_timeout": 0.3}));
    let mut connection = daemon.connect();
    let session = start(&mut connection, &["cat"]);
    assert_eq!(connection.record(&session)["timeout"], 0.3);
    let asked = Instant::now();
    let params = json!({"session": session, "patterns": [{"exact": "never"}]});
    let error = connection
        .call_value("session.expect", &params)
        .unwrap_err();
    assert_eq!(kind(&error), "expect_timeout");
    let waited = asked.elapsed();
    assert!(
        waited >= Duration::from_millis(300) && waited < Duration::from_secs(3),
        "{waited:?}"
    );
}

#[test]
fn ended_session_ttl_takes_ended_sessions_off_the_list() {
    let daemon = with(json!({"ended_session_ttl": 0.5}));
    let mut connection = daemon.connect();
    let live = start(&mut connection, &["cat"]);
    let dead = start(&mut connection, &["true"]);
    connection.ended(&dead);
    eventually("only the live one is listed", || {
        let reply = connection
            .call_value("session.list", &json!({"all": true}))
            .unwrap();
        let listed: Vec<&Value> = reply["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|session| &session["session_id"])
            .collect();
        (listed == [&json!(live)]).then_some(())
    });
    assert_eq!(
        connection.record(&dead)["state"],
        "dead",
        "keep_log_days keeps it"
    );
}

#[test]
fn ended_session_limit_removes_the_oldest_ended_sessions() {
    let mut daemon = with(json!({"ended_session_limit": 3}));
    let mut connection = daemon.connect();
    let live = start(&mut connection, &["cat"]);
    let end_one = |connection: &mut Connection| {
        let session = start(connection, &["true"]);
        connection.ended(&session);
        session
    };
    let listed = |daemon: &Daemon| -> Vec<String> {
        let reply = daemon.call_value("session.list", &json!({"all": true}));
        let sessions = reply.unwrap()["sessions"].as_array().unwrap().clone();
        let ids = sessions
            .iter()
            .map(|session| session["session_id"].as_str());
        ids.map(|id| id.unwrap().to_owned()).collect()
    };
    let ended: Vec<String> = (0..5).map(|_| end_one(&mut connection)).collect();
    eventually("only the newest are listed", || {
        let expected: Vec<&String> = [&live].into_iter().chain(&ended[2..]).collect();
        (listed(&daemon).iter().collect::<Vec<_>>() == expected).then_some(())
    });
    for gone in &ended[..2] {
        let found = daemon.call_value("session.get", &json!({"session": gone}));
        assert_eq!(kind(&found.unwrap_err()), "session_not_found");
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
        let left = listed(&daemon);
        (left.len() == 3 && left.contains(&newest) && !left.contains(&ended[2])).then_some(())
    });
}

/// Restarts a daemon after one of its sessions has ended; returns whether the session is still known.
fn is_kept_over_a_restart(config: Value) -> bool {
    let mut daemon = with(config);
    let mut connection = daemon.connect();
    let session = start(&mut connection, &["echo", "kept"]);
    connection.ended(&session);
    drop(connection);
    daemon.stop();
    daemon.restart();
    // The cleanup runs in the background after the start, so the test waits for up to a second.
    let started = daemon.call_value("daemon.ping", &json!({}));
    assert_eq!(started, Ok(json!({})));
    let folder = daemon.home().join("sessions").join(&session);
    let is_known = || {
        daemon
            .call_value("session.get", &json!({"session": session}))
            .is_ok()
    };
    let patience = Instant::now() + Duration::from_secs(1);
    while is_known() && Instant::now() < patience {
        std::thread::yield_now();
    }
    let is_known = is_known();
    if !is_known {
        eventually("its directory is removed too", || {
            (!folder.exists()).then_some(())
        });
    }
    is_known
}

#[test]
fn keep_log_days_and_auto_cleanup_decide_what_is_collected() {
    let cases = [
        (json!({"keep_log_days": 0, "ended_session_ttl": 0}), false),
        (json!({"keep_log_days": 1, "ended_session_ttl": 0}), true),
        // It is still listed.
        (json!({"keep_log_days": 0, "ended_session_ttl": 3600}), true),
        (
            json!({"keep_log_days": 0, "ended_session_ttl": 0, "auto_cleanup": false}),
            true,
        ),
    ];
    std::thread::scope(|scope| {
        for (config, is_kept) in cases {
            scope.spawn(move || {
                let told = config.to_string();
                assert_eq!(is_kept_over_a_restart(config), is_kept, "{told}");
            });
        }
    });
}

#[test]
fn limits_of_rows_and_columns_hold_for_new_and_resized_terminals() {
    let daemon = with(json!({"limits": {"rows": 30, "cols": 90}}));
    let mut connection = daemon.connect();
    for (name, value) in [("rows", 31), ("cols", 91)] {
        let error = connection
            .call_value("session.create", &json!({"program": "cat", name: value}))
            .unwrap_err();
        assert_eq!(kind(&error), "invalid_argument");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains(name) && message.contains(&(value - 1).to_string()),
            "{message}"
        );
    }
    let params = json!({"program": "cat", "rows": 30, "cols": 90});
    let session = connection.call_value("session.create", &params).unwrap()["session_id"].clone();
    let resize = |rows: u16, cols: u16| json!({"session": session, "rows": rows, "cols": cols});
    assert_eq!(
        connection.call_value("session.resize", &resize(1, 1)),
        Ok(json!({}))
    );
    for params in [resize(31, 90), resize(30, 91)] {
        let error = connection
            .call_value("session.resize", &params)
            .unwrap_err();
        assert_eq!(kind(&error), "invalid_argument");
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
        let daemon = with(json!({"log_level": level, "logging": logging}));
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
    let shown = with(json!({"logging": {"destination": "stderr"}}));
    assert!(shown.log_text().is_empty());
    let year = shown.printed();
    assert!(year.contains("serving") && year.starts_with("20"), "{year}");
    let reply = shown.call_value("daemon.log", &json!({})).unwrap();
    assert_eq!(reply["path"], Value::Null);
    // The journal adds the time itself.
    let journal = with(json!({"logging": {"destination": "journal"}}));
    let printed = journal.printed();
    assert!(
        printed.contains("serving") && !printed.starts_with("20"),
        "{printed}"
    );
}

#[test]
fn keep_days_removes_old_files_of_the_log() {
    let mut daemon = with(json!({"logging": {"keep_days": 2}}));
    daemon.stop();
    let day = Duration::from_secs(24 * 60 * 60);
    let file = |name: &str, days: u32| {
        let path = daemon.home().join("logs").join(name);
        let file = fs::File::create(&path).unwrap();
        file.set_modified(SystemTime::now() - day * days).unwrap();
        path
    };
    let (old, young, other) = (
        file("ccd.2020-01-01.log", 3),
        file("ccd.2020-01-03.log", 1),
        file("notes.txt", 3),
    );
    daemon.restart();
    eventually("the old log file is removed", || {
        (!old.exists()).then_some(())
    });
    assert!(young.exists() && other.exists());
}
