//! The terminal's echo: off from the start, turned off and on later.

use crate::support::session::{OpenSession, assert_error, program};
use crate::support::{Ccctl, Daemon};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{
    Action, SessionCreateParams, SessionEcho, SessionEchoParams, SessionHistory,
    SessionHistoryParams,
};
use ccd_protocol::tape::TapeOptions;
use serde_json::Value;

/// A request for a program whose terminal does not echo.
fn silent(daemon: &Daemon, name: &str, args: &[&str]) -> SessionCreateParams {
    SessionCreateParams {
        echo: Some(false),
        ..program(daemon, name, args)
    }
}

fn echo(session: &OpenSession<'_>, on: Option<bool>) -> Result<bool, Value> {
    let params = SessionEchoParams {
        session: session.id().to_owned(),
        on,
    };
    let reply = session.daemon.call::<SessionEcho>(&params);
    reply.map(|reply| reply.on)
}

#[test]
fn a_program_finds_the_echo_off_and_its_output_processed() {
    let daemon = Daemon::start();
    let session = daemon.open_with(&silent(&daemon, "stty", &["-a"]));
    session.ended();
    let modes = session.output();
    for mode in [
        " -echo ", " echok ", " icanon ", " isig ", " opost ", " onlcr",
    ] {
        assert!(modes.replace('\n', " ").contains(mode), "{mode}: {modes}");
    }
    assert!(session.bytes().ends_with(b"\r\n"));
}

#[test]
fn input_without_echo_is_not_in_the_output_and_hidden_in_the_history() {
    let daemon = Daemon::start();
    let session = daemon.open_with(&silent(&daemon, "cat", &[]));
    assert_eq!(echo(&session, None), Ok(false));
    assert!(session.line("once").hidden);
    session.expect("once\n");
    assert_eq!(session.output(), "once\n");
    let params = SessionHistoryParams {
        session: session.id().to_owned(),
        ..SessionHistoryParams::default()
    };
    let rows = daemon.call::<SessionHistory>(&params).unwrap().interactions;
    let sent = rows.iter().find(|row| row.action == Action::Send).unwrap();
    assert_eq!(sent.input_text.as_deref(), Some("<hidden>"));
}

#[test]
fn the_echo_is_turned_on_and_off_while_the_program_runs() {
    let daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    assert_eq!(echo(&session, None), Ok(true));
    assert_eq!(echo(&session, Some(false)), Ok(false));
    session.line("silent");
    session.expect("silent\n");
    assert_eq!(echo(&session, Some(false)), Ok(false));
    assert_eq!(echo(&session, Some(true)), Ok(true));
    session.line("twice");
    session.expect("twice\ntwice\n");
    assert_eq!(session.output(), "silent\ntwice\ntwice\n");
    session.close();
    for on in [None, Some(true)] {
        let error = echo(&session, on).unwrap_err();
        assert_error(&error, ErrorCode::SessionNotAlive);
    }
}

#[test]
fn what_the_program_sets_is_reported() {
    let daemon = Daemon::start();
    let script = "stty -echo; echo off; read line; stty echo; echo on; exec cat";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("off\n");
    assert_eq!(echo(&session, None), Ok(false));
    session.line("");
    session.expect("on\n");
    assert_eq!(echo(&session, None), Ok(true));
}

#[test]
fn without_a_terminal_or_with_a_tape_the_echo_cannot_be_chosen() {
    let daemon = Daemon::start();
    let tape = Some(TapeOptions::default());
    for (params, word) in [
        (
            SessionCreateParams {
                pipes: true,
                ..silent(&daemon, "cat", &[])
            },
            "pipes",
        ),
        (
            SessionCreateParams {
                tape,
                ..silent(&daemon, "cat", &[])
            },
            "tape",
        ),
        (
            SessionCreateParams {
                plain: true,
                echo: Some(true),
                ..program(&daemon, "cat", &[])
            },
            "plain",
        ),
    ] {
        let error = daemon.refused(&params);
        assert_error(&error, ErrorCode::InvalidArgument);
        assert!(error["message"].as_str().unwrap().contains(word), "{error}");
    }
    let piped = daemon.open_with(&SessionCreateParams {
        pipes: true,
        ..program(&daemon, "cat", &[])
    });
    assert_error(
        &echo(&piped, Some(false)).unwrap_err(),
        ErrorCode::InvalidArgument,
    );
}

#[test]
fn reuse_distinguishes_sessions_with_and_without_echo() {
    let daemon = Daemon::start();
    let reuse = |params: SessionCreateParams| SessionCreateParams {
        reuse: true,
        ..params
    };
    let loud = daemon.open_with(&reuse(program(&daemon, "cat", &[])));
    let silent_one = daemon.open_with(&reuse(silent(&daemon, "cat", &[])));
    assert_ne!(loud.id(), silent_one.id());
    let again = daemon.open_with(&reuse(silent(&daemon, "cat", &[])));
    assert_eq!(again.id(), silent_one.id());
}

#[test]
fn the_client_starts_without_echo_and_changes_it() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["session", "create", "--name", "c", "--no-echo", "--", "cat"]);
    assert_eq!(ccctl.ok(&["session", "echo", "c"]), "off\n");
    assert_eq!(ccctl.ok(&["session", "echo", "c", "on"]), "");
    assert_eq!(ccctl.ok(&["session", "echo", "c"]), "on\n");
    let json = ccctl.ok(&["session", "echo", "c", "off", "--json"]);
    assert_eq!(json, "{\"on\":false}\n");
    assert_eq!(ccctl.run(&["session", "echo", "c", "maybe"]).code, Some(2));
    assert_eq!(ccctl.run(&["session", "echo", "nobody"]).code, Some(4));
}
