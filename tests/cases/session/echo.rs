//! The terminal's echo: off from the start, turned off and on later.

use super::history_of_calls::history;
use crate::support::session::{OpenSession, assert_error, assert_has, message_of, program};
use crate::support::{Ccctl, Daemon};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{Action, SessionCreateParams, SessionEcho, SessionEchoParams};
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
    assert_has(
        &session.output().replace('\n', " "),
        [
            " -echo ", " echok ", " icanon ", " isig ", " opost ", " onlcr",
        ],
    );
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
    let rows = history(&daemon, session.id());
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
    for (change, word) in [
        (
            (|params| params.pipes = true) as fn(&mut SessionCreateParams),
            "pipes",
        ),
        (|params| params.tape = Some(TapeOptions::default()), "tape"),
        (
            |params| (params.plain, params.echo) = (true, Some(true)),
            "plain",
        ),
    ] {
        let mut params = silent(&daemon, "cat", &[]);
        change(&mut params);
        let error = daemon.refused(&params);
        assert_error(&error, ErrorCode::InvalidArgument);
        assert_has(message_of(&error), [word]);
    }
    let piped = daemon.open_with(&SessionCreateParams {
        pipes: true,
        ..program(&daemon, "cat", &[])
    });
    let error = echo(&piped, Some(false)).unwrap_err();
    assert_error(&error, ErrorCode::InvalidArgument);
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
