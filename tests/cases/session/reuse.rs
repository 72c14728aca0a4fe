//! `reuse`: the live session that was started with the same request.

use crate::support::session::{assert_error, program};
use crate::support::{Ccctl, Daemon};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{SessionCreate, SessionCreateParams};
use std::collections::HashSet;
use std::sync::Barrier;

fn reusing(daemon: &Daemon) -> SessionCreateParams {
    SessionCreateParams {
        reuse: true,
        ..program(daemon, "cat", &["-"])
    }
}

#[test]
fn the_same_request_finds_the_same_session() {
    let daemon = Daemon::start();
    let session = daemon.open_with(&reusing(&daemon));
    let first = &session.record;
    let second = daemon.open_with(&reusing(&daemon)).record;
    assert_eq!(first.session_id, second.session_id);
    assert!(!first.reused && second.reused);
    // Timeouts and limits are not compared, nor is the caller's environment: only the variables of the request are.
    let patient = SessionCreateParams {
        timeout_s: Some(5.0),
        session_timeout_s: Some(77.0),
        ..reusing(&daemon)
    };
    let other_caller = SessionCreateParams {
        inherited: ccd_protocol::Inherited {
            caller_env: Some([("X".to_owned(), "1".to_owned())].into()),
            ..Default::default()
        },
        ..reusing(&daemon)
    };
    for params in [patient, other_caller] {
        assert_eq!(daemon.open_with(&params).id(), first.session_id);
    }
    // An ended session is not found again.
    session.close();
    let next = daemon.open_with(&reusing(&daemon)).record;
    assert_ne!(first.session_id, next.session_id);
    assert!(!next.reused);
}

#[test]
fn six_callers_at_once_get_one_session() {
    let daemon = Daemon::start();
    let params = reusing(&daemon);
    let together = Barrier::new(6);
    let ids: Vec<String> = std::thread::scope(|scope| {
        let open = || {
            let mut connection = daemon.connect();
            together.wait();
            connection
                .call::<SessionCreate>(&params)
                .unwrap()
                .session_id
        };
        let callers: Vec<_> = (0..6).map(|_| scope.spawn(open)).collect();
        callers
            .into_iter()
            .map(|caller| caller.join().unwrap())
            .collect()
    });
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 1, "{ids:?}");
}

#[test]
fn a_name_is_reused_by_the_same_program_and_refused_to_another() {
    let daemon = Daemon::start();
    let named = SessionCreateParams {
        name: Some("job".to_owned()),
        ..reusing(&daemon)
    };
    let first = daemon.open_with(&named);
    assert_eq!(daemon.open_with(&named).id(), first.id());
    let other = SessionCreateParams {
        args: vec![],
        ..named
    };
    assert_error(&daemon.refused(&other), ErrorCode::SessionConflict);
}

#[test]
fn the_client_reuses_by_folder_and_given_variables() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let create = |words: &[&str]| {
        let create = &["session", "create", "--reuse"];
        ccctl.ok(&[create, words, &["--", "cat", "-u"]].concat())
    };
    let first = create(&[]);
    assert_eq!(create(&[]), first);
    assert_ne!(create(&["--env", "A=1"]), first);
    assert_eq!(create(&["--env", "A=1"]), create(&["--env", "A=1"]));
    assert_ne!(create(&["--cwd", "/"]), first);
}
