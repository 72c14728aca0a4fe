//! What a list shows of each session, as a record and as a table.

use crate::support::session::{assert_has, guesses, program};
use crate::support::{Ccctl, Daemon};
use ccd_protocol::session::{
    InputVerdict, SessionCreateParams, SessionList, SessionListParams, WaitFor,
};

fn listed(daemon: &Daemon, waiting: bool) -> Vec<ccd_protocol::session::Session> {
    let params = SessionListParams { all: true, waiting };
    daemon.call::<SessionList>(&params).unwrap().sessions
}

#[test]
fn a_list_tells_who_waits_for_input_when_it_is_asked() {
    let daemon = Daemon::start();
    if guesses(&daemon) {
        return;
    }
    let reads = daemon.open("cat", &[]);
    let sleeps = daemon.open("sleep", &["600"]);
    let hides = daemon.open("bash", &["-c", "read -s x"]);
    let ended = daemon.open("true", &[]);
    ended.ended();
    reads.wait(WaitFor::Input);
    hides.wait(WaitFor::Input);
    let waiting = |id: &str, ask: bool| {
        let all = listed(&daemon, ask);
        let session = all.into_iter().find(|session| session.session_id == id);
        session.unwrap().waiting_for_input
    };
    for session in [&reads, &sleeps, &hides, &ended] {
        assert_eq!(waiting(session.id(), false), None);
    }
    let told = |id: &str| waiting(id, true).map(|waiting| (waiting.verdict, waiting.hidden));
    assert_eq!(told(reads.id()), Some((InputVerdict::Blocked, false)));
    assert_eq!(told(sleeps.id()), Some((InputVerdict::No, false)));
    assert_eq!(told(hides.id()), Some((InputVerdict::Blocked, true)));
    assert_eq!(told(ended.id()), None);
}

#[test]
fn a_list_of_many_is_whole_and_in_order() {
    let config = r#"{"max_sessions": 0}"#;
    let daemon = Daemon::builder().config(config).start();
    let open: Vec<_> = (0..80).map(|_| daemon.open("cat", &[])).collect();
    // For each of them, the list has to wait until the program has read what was typed.
    open.iter().for_each(|session| drop(session.line("x")));
    let all = listed(&daemon, true);
    let ids: Vec<&str> = all.iter().map(|session| &*session.session_id).collect();
    let expected: Vec<&str> = open.iter().map(|session| session.id()).collect();
    assert_eq!(ids, expected);
}

#[test]
fn on_a_terminal_the_list_is_as_wide_as_the_terminal() {
    let daemon = Daemon::start();
    let long = "a rather long word of 世界 and others";
    let named = SessionCreateParams {
        name: Some("py".to_owned()),
        ..program(&daemon, "cat", &["-", long])
    };
    daemon.open_with(&named);
    for cols in [30, 50, 200] {
        let list = daemon.open_client(&["session", "list"], (24, cols));
        list.ended();
        let text = list.output();
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        // The heading, the session, and perhaps the session that shows the list, if it is already listed.
        assert!((2..=3).contains(&lines.len()), "{text}");
        assert!(lines[0].ends_with("PROGRAM"), "{text}");
        assert_has(lines[1], ["py  "]);
        assert_eq!(lines[1].contains(long), cols == 200, "{text}");
        assert_eq!(lines[1].contains('…'), cols < 200, "{text}");
    }
}

#[test]
fn in_a_pipe_the_list_is_whole_and_without_colours() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let none = ccctl.run(&["session", "list"]);
    assert_eq!((none.code, &*none.stdout), (Some(0), ""));
    assert_has(&none.stderr, ["start one with ccctl new"]);
    let none = ccctl.run(&["session", "list", "--json"]);
    assert_eq!((&*none.stdout, &*none.stderr), ("{\"sessions\":[]}\n", ""));
    let word = "x".repeat(300);
    daemon.open("cat", &["-", &word]);
    let ended = daemon.open("sh", &["-c", "exit 3"]);
    ended.ended();
    let all = ccctl.ok(&["session", "list", "--all"]);
    let lines: Vec<Vec<&str>> = all
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines.len(), 2, "{all}");
    assert_eq!(lines[0][8..], ["cat", "-", &word], "{all}");
    assert_eq!(lines[1][..3], [ended.id(), "-", "exited_3"], "{all}");
    assert!(!all.contains('\u{1b}'), "{all}");
}
