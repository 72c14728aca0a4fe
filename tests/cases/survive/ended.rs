//! Sessions that ended under an earlier worker are found when somebody asks for them, and not read before.

use crate::support::session::{assert_error, lacks, program};
use crate::support::worker::{is_one_process, kill_worker, with_worker};
use crate::support::{Daemon, eventually};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{SessionCreateParams, SessionState};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// Runs a session to its end.
fn ended(daemon: &Daemon, id: &str, name: Option<&str>) {
    let session = daemon.open_with(&SessionCreateParams {
        id: Some(id.into()),
        name: name.map(str::to_owned),
        ..program(daemon, "echo", &[id])
    });
    session.ended();
}

fn change(daemon: &Daemon, statement: &str) {
    let database = daemon.home().join("ccd.sqlite");
    let mut sqlite = Command::new("sqlite3");
    // The daemon may be writing.
    sqlite.args(["-cmd", ".timeout 10000"]).arg(database);
    let output = sqlite.arg(statement).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

fn counted(daemon: &Daemon) -> Value {
    let status = daemon.ok("daemon.status", &json!({}));
    status["sessions"]["ended"].clone()
}

#[test]
fn a_worker_reads_ended_sessions_only_when_asked() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) || lacks(&["sqlite3"]) {
        return;
    }
    let live = daemon.open("cat", &[]);
    for id in ["first", "second", "third"] {
        ended(&daemon, id, None);
    }
    kill_worker(&daemon);
    live.ask("still here", "still here\n");
    assert_eq!(counted(&daemon), 3);
    // What a worker has read, it would know without the row.
    change(&daemon, "DELETE FROM sessions WHERE session_id = 'first'");
    let gone = daemon.call_value("session.get", &json!({"session": "first"}));
    assert_error(&gone.unwrap_err(), ErrorCode::SessionNotFound);
    let found = daemon.call_value("session.get", &json!({"session": "second"}));
    assert_eq!(found.unwrap()["state"], "dead");
    change(&daemon, "DELETE FROM sessions WHERE session_id = 'third'");
    assert_eq!(daemon.listed(true), [live.id(), "second"]);
    assert_eq!(counted(&daemon), 1);
}

#[test]
fn sessions_that_ended_under_an_earlier_worker_are_found_in_every_way() {
    let Some(daemon) = with_worker() else { return };
    ended(&daemon, "older", Some("twice"));
    ended(&daemon, "newer", Some("twice"));
    ended(&daemon, "prefix-1", None);
    ended(&daemon, "prefix-2", None);
    let state = |session: &str| daemon.id_of(session);
    for round in 0..2 {
        kill_worker(&daemon);
        assert_eq!(state("twice").unwrap(), "newer");
        assert_eq!(state("old").unwrap(), "older");
        assert_eq!(state("prefix-1").unwrap(), "prefix-1");
        let ambiguous = state("prefix").unwrap_err();
        let candidates = &ambiguous["data"]["candidates"];
        assert_eq!(candidates, &json!(["prefix-1", "prefix-2"]), "{ambiguous}");
        if round == 0 {
            let read = daemon.call_value("session.read", &json!({"session": "newer", "since": 0}));
            assert!(read.unwrap().to_string().contains("newer"));
        }
    }
    kill_worker(&daemon);
    let expected = ["older", "newer", "prefix-1", "prefix-2"];
    assert_eq!(daemon.listed(true), expected);
    // Its record and its files are those of the new session.
    kill_worker(&daemon);
    let again = daemon.open_with(&SessionCreateParams {
        id: Some("older".into()),
        ..program(&daemon, "cat", &[])
    });
    assert_eq!(again.now().state, SessionState::Alive);
    assert_eq!(again.output(), "");
    kill_worker(&daemon);
    again.ask("it lives", "it lives\n");
    assert_eq!(daemon.listed(true).len(), 4);
    again.close();
    kill_worker(&daemon);
    let removed = daemon.ok("session.cleanup", &json!({}));
    assert_eq!(removed["removed"], 4);
    let folders = || {
        fs::read_dir(daemon.home().join("sessions"))
            .unwrap()
            .count()
    };
    assert_eq!((folders(), counted(&daemon)), (0, json!(0)));
}

#[test]
fn directories_of_no_session_are_removed_and_those_of_ended_ones_kept() {
    let Some(daemon) = with_worker() else { return };
    let live = daemon.open("cat", &[]);
    ended(&daemon, "ended", None);
    let folders = daemon.home().join("sessions");
    fs::create_dir(folders.join("stray")).unwrap();
    kill_worker(&daemon);
    eventually("the directory of no session is removed", || {
        (!folders.join("stray").exists()).then_some(())
    });
    for id in ["ended", live.id()] {
        assert!(folders.join(id).is_dir(), "{id}");
    }
}
