//! The life of a session: start, list, names, end, cleanup.

use crate::support::Daemon;
use crate::support::processes::lives;
use crate::support::session::{assert_error, assert_has, lacks, message_of, program};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{EndReason, SessionCreateParams, SessionState};
use serde_json::{Value, json};

/// Returns how many sessions a cleanup has removed.
fn cleanup(daemon: &Daemon, params: Value) -> Value {
    let reply = daemon.call_value("session.cleanup", &params);
    reply.unwrap()["removed"].clone()
}

#[test]
fn a_session_is_listed_from_its_start_to_the_cleanup_after_its_end() {
    let daemon = Daemon::start();
    let cat = daemon.open("cat", &[]);
    assert_eq!(cat.record.state, SessionState::Alive);
    assert_eq!(cat.id().len(), 12);
    assert!(cat.record.pid > 1 && lives(cat.record.pid));
    assert_eq!(daemon.listed(false), [cat.id()]);

    cat.close();
    assert!(!lives(cat.record.pid));
    let dead = cat.now();
    assert_eq!(dead.state, SessionState::Dead);
    assert_eq!(dead.end_reason, Some(EndReason::Closed));
    let live = daemon.open("cat", &[]);
    assert_eq!(daemon.listed(false), [live.id()]);
    assert_eq!(daemon.listed(true), [cat.id(), live.id()]);
    live.close();
    let send = |session: &str| {
        let params = json!({"session": session, "text": "x"});
        daemon.error("session.send", &params)
    };
    let dead = send(cat.id());
    assert_error(&dead, ErrorCode::SessionNotAlive);
    assert_has(message_of(&dead), [cat.id()]);
    assert_error(&send("nobody"), ErrorCode::SessionNotFound);

    let folder = daemon.home().join("sessions").join(cat.id());
    assert!(folder.exists());
    assert_eq!(cleanup(&daemon, json!({})), 2);
    assert!(daemon.listed(true).is_empty());
    assert!(!folder.exists());
    let unknown = daemon.id_of(cat.id()).unwrap_err();
    assert_error(&unknown, ErrorCode::SessionNotFound);
}

#[test]
fn a_start_that_fails_names_the_reason_and_leaves_no_files() {
    let daemon = Daemon::start();
    let plain = daemon.home().join("no-program");
    std::fs::write(&plain, "text").unwrap();
    let plain = plain.display().to_string();
    let missing_folder = daemon.home().join("no-folder").display().to_string();
    let in_no_folder = SessionCreateParams {
        cwd: Some(missing_folder.clone()),
        ..program(&daemon, "ls", &[])
    };
    for (params, named) in [
        (program(&daemon, "no-such-program", &[]), "no-such-program"),
        (program(&daemon, "/no/such", &[]), "/no/such"),
        (program(&daemon, &plain, &[]), plain.as_str()),
        (in_no_folder, missing_folder.as_str()),
    ] {
        let error = daemon.refused(&params);
        assert_error(&error, ErrorCode::SpawnFailed);
        assert_has(message_of(&error), [named]);
    }
    assert!(daemon.listed(false).is_empty());
    let folders = std::fs::read_dir(daemon.home().join("sessions")).unwrap();
    assert_eq!(folders.count(), 0);
}

#[test]
fn a_request_without_a_program_is_an_argument_error() {
    let daemon = Daemon::start();
    for params in [
        SessionCreateParams::default(),
        program(&daemon, "", &[]),
        SessionCreateParams {
            cwd: Some("tmp".to_owned()),
            ..program(&daemon, "ls", &[])
        },
    ] {
        assert_error(&daemon.refused(&params), ErrorCode::InvalidArgument);
    }
    assert!(daemon.listed(true).is_empty());
}

// Arguments are passed on without being parsed.
#[test]
fn arguments_reach_the_program_as_they_are() {
    let daemon = Daemon::start();
    let args = ["it's", "\"half", "$HOME", "", "a  b", "*"];
    let printf = daemon.open("printf", &[&["<%s>"], &args[..]].concat());
    printf.ended();
    let expected: String = args.iter().map(|arg| format!("<{arg}>")).collect();
    assert_eq!(printf.output(), expected);
    assert_eq!(printf.record.args[1..], args);
}

#[test]
fn the_exit_status_or_the_signal_is_recorded_never_both_or_none() {
    let daemon = Daemon::start();
    for (command, status, signal, reason) in [
        ("exit 0", Some(0), None, EndReason::Exited),
        ("exit 1", Some(1), None, EndReason::Exited),
        ("exit 255", Some(255), None, EndReason::Exited),
        ("kill -9 $$", None, Some(9), EndReason::Signalled),
        ("kill -15 $$", None, Some(15), EndReason::Signalled),
        ("kill -6 $$", None, Some(6), EndReason::Signalled),
    ] {
        let session = daemon.open("sh", &["-c", command]);
        let ended = session.ended();
        let how = (ended.exitstatus, ended.signal, ended.end_reason);
        assert_eq!(how, (status, signal, Some(reason)), "{command}");
        assert_eq!(ended.state, SessionState::Dead);
        assert!(ended.ended_at.is_some());
        // Closing it is no error, and changes nothing.
        let reply = session.close();
        assert_eq!((reply.exitstatus, reply.signal), (status, signal));
        assert!(!reply.forced && reply.killed.is_empty());
        assert_eq!(session.now().end_reason, Some(reason));
    }
}

#[test]
fn a_session_keeps_its_state_when_its_creator_goes() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let params = SessionCreateParams {
        name: Some("py".to_owned()),
        ..program(&daemon, "python3", &["-q"])
    };
    // Every call has its own connection, so each comes from another client.
    let python = daemon.open_with(&params);
    python.expect(">>> ");
    python.ask("x = 41", ">>> ");
    let found = daemon.id_of("py").unwrap();
    assert_eq!(found, python.id());
    let answer = python.ask("print(x + 1)", r"(?m)^(\d+)$");
    assert_eq!(answer.groups[1].as_deref(), Some("42"));
}

#[test]
fn sessions_know_nothing_of_each_other() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let open = |id: &str| {
        daemon.open_with(&SessionCreateParams {
            id: Some(id.to_owned()),
            ..program(&daemon, "python3", &["-q"])
        })
    };
    let (one, two) = (open("isolated_1"), open("isolated_2"));
    one.expect(">>> ");
    two.expect(">>> ");
    one.ask("secret = 1", ">>> ");
    two.ask("print(secret)", "NameError");
    assert_eq!(one.ask("print(secret + 1)", r"(?m)^2$").matched, "2");
}

#[test]
fn cleanup_closes_idle_sessions_and_with_force_all() {
    let daemon = Daemon::start();
    let idle = daemon.open("cat", &[]);
    let kept = daemon.open_with(&SessionCreateParams {
        persist: Some(true),
        ..program(&daemon, "cat", &[])
    });
    let aged = |age: i64| json!({ "max_age_s": age });
    assert_eq!(cleanup(&daemon, aged(60)), 0);
    assert_eq!(daemon.listed(false).len(), 2);
    // Every session is at least 0 s old, but the age of a persistent one does not count.
    assert_eq!(cleanup(&daemon, aged(0)), 1);
    assert!(!lives(idle.record.pid));
    assert_eq!(daemon.listed(true), [kept.id()]);
    daemon.open("true", &[]).ended();
    assert_eq!(cleanup(&daemon, json!({"force": true})), 2);
    assert!(daemon.listed(true).is_empty());
    assert!(!lives(kept.record.pid));
    let negative = daemon.call_value("session.cleanup", &aged(-1));
    assert_error(&negative.unwrap_err(), ErrorCode::InvalidArgument);
}

#[test]
fn a_transient_session_ends_with_its_connection_and_leaves_its_record() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let params = json!({"program": "cat", "transient": true, "id": "passing", "cwd": "/"});
    let record = connection.ok("session.create", &params);
    let pid = i32::try_from(record["pid"].as_i64().unwrap()).unwrap();
    assert_eq!(daemon.id_of("passing").unwrap(), "passing");
    drop(connection);
    let folder = daemon.home().join("sessions/passing");
    crate::support::eventually("its directory is removed", || {
        (!folder.exists()).then_some(())
    });
    assert!(!lives(pid));
    let record = daemon.call_value("session.get", &json!({"session": "passing"}));
    let record = record.unwrap();
    assert_eq!(record["state"], "dead");
    assert_eq!(record["started_by"], "session.create");
    let mut connection = daemon.connect();
    let again = connection.ok("session.create", &params);
    assert_eq!(again["session_id"], "passing");
    assert_eq!(again["state"], "alive");
}

#[test]
fn a_negative_grace_is_an_argument_error() {
    let daemon = Daemon::start();
    let cat = daemon.open("cat", &[]);
    let params = json!({"session": cat.id(), "grace_ms": -1});
    let error = daemon.error("session.close", &params);
    assert_error(&error, ErrorCode::InvalidArgument);
    assert!(lives(cat.record.pid));
}
