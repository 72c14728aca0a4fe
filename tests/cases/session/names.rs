//! Ids, names and prefixes: which session they mean, and which are taken.

use crate::support::Daemon;
use crate::support::processes::lives;
use crate::support::session::{assert_error, program};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::SessionCreateParams;
use serde_json::json;

fn with_id(daemon: &Daemon, id: &str) -> SessionCreateParams {
    SessionCreateParams {
        id: Some(id.to_owned()),
        ..program(daemon, "cat", &[])
    }
}

fn with_name(daemon: &Daemon, name: &str) -> SessionCreateParams {
    SessionCreateParams {
        name: Some(name.to_owned()),
        ..program(daemon, "cat", &[])
    }
}

#[test]
fn a_live_id_or_name_cannot_be_taken_by_another_session() {
    let daemon = Daemon::start();
    let first = daemon.open_with(&with_id(&daemon, "work"));
    daemon.open_with(&with_name(&daemon, "cat"));
    let other_program = SessionCreateParams {
        id: Some("work".to_owned()),
        ..program(&daemon, "sleep", &["60"])
    };
    for params in [
        other_program,
        with_id(&daemon, "work"),
        with_name(&daemon, "cat"),
        // Names and ids share one namespace: "work" must mean one session.
        with_name(&daemon, "work"),
        with_id(&daemon, "cat"),
    ] {
        assert_error(&daemon.refused(&params), ErrorCode::SessionConflict);
    }
    let error = daemon.refused(&with_id(&daemon, "work"));
    assert_eq!(error["data"]["session"], json!("work"));
    assert_eq!(daemon.listed(false).len(), 2);
    assert!(lives(first.record.pid));
}

#[test]
fn the_id_of_an_ended_session_can_be_taken_again_with_a_fresh_folder() {
    let daemon = Daemon::start();
    let params = SessionCreateParams {
        id: Some("again".to_owned()),
        ..program(&daemon, "echo", &["first"])
    };
    daemon.open_with(&params).ended();
    let second = daemon.open_with(&SessionCreateParams {
        args: vec!["second".to_owned()],
        ..params
    });
    second.ended();
    assert_eq!(second.output(), "second\n");
    assert_eq!(daemon.listed(true), ["again"]);
}

#[test]
fn a_name_means_the_live_session_else_the_newest() {
    let daemon = Daemon::start();
    let first = daemon.open_with(&with_name(&daemon, "job"));
    first.close();
    assert_eq!(daemon.id_of("job").unwrap(), first.id());
    let second = daemon.open_with(&with_name(&daemon, "job"));
    assert_ne!(first.id(), second.id());
    assert_eq!(daemon.id_of("job").unwrap(), second.id());
    second.close();
    assert_eq!(daemon.id_of("job").unwrap(), second.id());
    assert_eq!(daemon.id_of(first.id()).unwrap(), first.id());
}

#[test]
fn ids_that_could_leave_their_folder_are_argument_errors() {
    let daemon = Daemon::start();
    let too_long = "x".repeat(65);
    for id in [
        "", "a/b", "../up", "..", ".hidden", "a b", "é", "a\0b", &too_long,
    ] {
        for params in [with_id(&daemon, id), with_name(&daemon, id)] {
            assert_error(&daemon.refused(&params), ErrorCode::InvalidArgument);
        }
        let error = daemon.id_of(id).unwrap_err();
        assert_error(&error, ErrorCode::InvalidArgument);
    }
    let folders = std::fs::read_dir(daemon.home().join("sessions")).unwrap();
    assert_eq!(folders.count(), 0);
    assert!(!daemon.home().join("up").exists());
    let longest = "x".repeat(64);
    assert_eq!(daemon.open_with(&with_id(&daemon, &longest)).id(), longest);
}

#[test]
fn a_unique_prefix_finds_a_session_and_an_ambiguous_one_names_all() {
    let daemon = Daemon::start();
    for id in ["alpha-1", "alpha-2", "beta"] {
        daemon.open_with(&with_id(&daemon, id));
    }
    assert_eq!(daemon.id_of("b").unwrap(), "beta");
    assert_eq!(daemon.id_of("alpha-2").unwrap(), "alpha-2");
    let error = daemon.id_of("alph").unwrap_err();
    assert_error(&error, ErrorCode::SessionNotFound);
    assert_eq!(error["data"]["candidates"], json!(["alpha-1", "alpha-2"]));
    // A name must be given in full, and takes precedence over the prefix of another session's id.
    let named = daemon.open_with(&with_name(&daemon, "be"));
    assert_eq!(daemon.id_of("be").unwrap(), named.id());
}
