//! Which requests are repeated, and how, against a server that closes its connections.

use super::*;
use crate::Exit;
use crate::call::request_at;
use crate::call::test_server::{TestServer, Turn};

fn serve(connections: Vec<Vec<Turn>>) -> TestServer {
    TestServer::start(connections)
}

fn ask(server: &TestServer, method: &str, params: &Value) -> Result<Box<RawValue>, Failure> {
    request_at(&server.place, method, params)
}

fn done() -> Turn {
    Turn::Answer(json!({}))
}

#[test]
fn an_expect_is_repeated_only_with_an_offset_and_waits_for_the_rest_of_its_time() {
    let mut params = json!({"session": "k3", "patterns": [{"eof": true}], "timeout_ms": 5000.0});
    let server = serve(vec![vec![Turn::Lose]]);
    let failure = ask(&server, "session.expect", &params).unwrap_err();
    assert!(failure.to_string().contains("--from"), "{failure}");
    assert_eq!(server.requests().len(), 1);

    params["from"] = json!(7);
    let server = serve(vec![vec![Turn::Lose], vec![done()]]);
    ask(&server, "session.expect", &params).unwrap();
    let again = &server.requests()[1]["params"];
    let left = again["timeout_ms"].as_f64().unwrap();
    assert!((MOMENT_MS..5000.0).contains(&left), "{left}");
    assert_eq!(again["from"], 7);
}

#[test]
fn a_limit_in_whole_milliseconds_stays_one() {
    let server = serve(vec![vec![Turn::Lose], vec![done()]]);
    let params = json!({"wait_ms": 5000});
    ask(&server, "conversation.list", &params).unwrap();
    let again = &server.requests()[1]["params"]["wait_ms"];
    assert!(again.as_u64().is_some_and(|left| left <= 5000), "{again}");
}

#[test]
fn a_wait_for_the_exit_has_no_time_that_could_pass() {
    for params in [
        json!({"session": "sh", "for": "exit"}),
        json!({"session": "sh", "for": "idle", "timeout_ms": null}),
    ] {
        let server = serve(vec![vec![Turn::Lose], vec![done()]]);
        ask(&server, "session.wait", &params).unwrap();
        let requests = server.requests();
        assert_eq!(requests[0]["method"], requests[1]["method"]);
        assert_eq!(requests[0]["params"], requests[1]["params"]);
    }
}

#[test]
fn what_is_typed_or_started_is_never_repeated_once_it_was_read() {
    for method in [
        "session.send",
        "session.create",
        "session.run",
        "session.signal",
        "session.cleanup",
        "session.close",
        "run.once",
        "daemon.reload",
        "daemon.stop",
        "daemon.restart",
        "daemon.upgrade",
    ] {
        let server = serve(vec![vec![Turn::Lose]]);
        let failure = ask(&server, method, &json!({})).unwrap_err();
        assert_eq!(failure.exit(), Exit::NoDaemon);
        let Failure::Lost { was_read, .. } = failure else {
            panic!("{failure}");
        };
        assert!(was_read);
        assert_eq!(server.requests().len(), 1, "{method}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_was_not_read_was_not_done_and_is_sent_again() {
    let unread = || vec![Turn::Unread];
    let params = json!({"session": "k3", "text": "rm -r x"});
    let server = serve(vec![unread(), unread(), vec![done()]]);
    ask(&server, "session.send", &params).unwrap();
    assert_eq!(server.requests().len(), 1);
    let server = serve(vec![unread(), vec![Turn::Lose]]);
    let failure = ask(&server, "session.send", &params).unwrap_err();
    assert!(failure.to_string().contains("it is unknown"), "{failure}");

    // What was read once may have been done.
    let unread = (0..=MAX_UNREAD).map(|_| unread());
    let server = serve(std::iter::once(vec![Turn::Lose]).chain(unread).collect());
    let failure = ask(&server, "session.list", &json!({})).unwrap_err();
    assert!(
        matches!(failure, Failure::Lost { was_read: true, .. }),
        "{failure}"
    );
}

#[test]
fn what_is_lost_at_once_twice_is_given_up() {
    let server = serve(vec![vec![Turn::Lose], vec![Turn::Lose]]);
    let failure = ask(&server, "session.list", &json!({})).unwrap_err();
    assert!(matches!(failure, Failure::Lost { .. }), "{failure}");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_daemon_that_stops_is_no_hand_over() {
    let refusal =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1004,\"message\":\"it stops\"}}\n";
    let mut server = serve(vec![vec![Turn::Raw(refusal.to_owned())]]);
    server.place.may_start = true;
    let failure = ask(&server, "session.list", &json!({})).unwrap_err();
    assert!(failure.refusal().is_some(), "{failure}");
}

#[test]
fn times_are_shortened_to_a_moment_at_least() {
    for (ms, passed_ms, left) in [
        (5000.0, 1000, 4000.0),
        (5000.0, 6000, MOMENT_MS),
        (20.0, 6000, 20.0),
        (0.0, 10, 0.0),
    ] {
        let params = json!({"timeout_ms": ms, "wait_ms": null, "idle_ms": 9.0});
        let rest = for_the_rest(&params, Duration::from_millis(passed_ms));
        let expected = json!({"timeout_ms": left, "wait_ms": null, "idle_ms": 9.0});
        assert_eq!(rest, expected);
    }
}
