//! A handover as a server plays it.

use super::*;
use crate::args::Global;
use crate::call::test_server::{TestServer, Turn};
use std::os::unix::net::UnixListener;
use std::path::Path;

/// Answers the first request of each connection.
fn serve(turns: Vec<Turn>) -> (TestServer, Context) {
    let server = TestServer::start(turns.into_iter().map(|turn| vec![turn]).collect());
    let context = context(&server.socket);
    (server, context)
}

fn context(socket: &Path) -> Context {
    Context::new(Global {
        socket: Some(socket.to_str().unwrap().to_owned()),
        ..Global::default()
    })
}

fn asked() -> Value {
    json!({"pid": 1, "version": "0.1.0", "new_version": "0.2.0", "sessions": 5, "number": 1})
}

fn status(pid: i32, last_hand_over: &Value) -> Value {
    json!({
        "version": "0.2.0", "protocol": 1, "pid": pid, "holder_pid": 1, "last_hand_over": last_hand_over,
        "uptime_s": 1.0, "socket": "/s", "sessions": {"live": 5, "ended": 0, "max": 0},
        "jobs": {"queued": 0, "running": 0}, "connections": 1, "paths": {}, "sizes": {}, "limits": {}, "queues": {},
        "drops": {}, "last_errors": [], "lacks": [], "config_warnings": [],
    })
}

fn hand_over_of(number: u64, rolled_back: bool, cause: &str) -> Value {
    let at = "2026-01-01T00:00:00.000Z";
    json!({"number": number, "cause": cause, "rolled_back": rolled_back, "reason": "it ended", "at": at})
}

#[test]
fn a_crash_meanwhile_is_no_restart() {
    let (_server, mut context) = serve(vec![
        Turn::Answer(asked()),
        Turn::Answer(status(4, &hand_over_of(2, false, "crash"))),
    ]);
    let failure = restart(&mut context).unwrap_err();
    assert!(
        failure.line().contains("was killed during the handover"),
        "{failure}"
    );
}

#[test]
fn a_request_that_was_not_answered_is_not_made_again() {
    let (server, mut context) = serve(vec![Turn::Lose]);
    let failure = restart(&mut context).unwrap_err();
    assert!(
        failure.line().starts_with("ccctl: daemon.restart: "),
        "{failure}"
    );
    assert!(
        failure.line().contains("check with ccctl daemon status"),
        "{failure}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn nobody_is_started_and_no_file_is_no_build() {
    let nowhere = Path::new("/nonexistent/s");
    let failure = restart(&mut context(nowhere)).unwrap_err();
    assert_eq!(failure.exit(), Exit::NoDaemon);
    let binary = Path::new("/nonexistent/ccd");
    let failure = upgrade(Some(binary), &mut context(nowhere)).unwrap_err();
    assert_eq!(failure.exit(), Exit::Usage);
}

#[test]
fn one_that_goes_on_in_silence_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let _silent = UnixListener::bind(&socket).unwrap();
    let place = DaemonAddress::of_socket(socket);
    let deadline = Instant::now() + Duration::from_millis(50);
    let failure = wait_for_next("daemon.restart", &place, 0, deadline).unwrap_err();
    assert_eq!(failure.exit(), Exit::TimedOut);
}
