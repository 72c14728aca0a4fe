//! The client's half of the protocol, against a server that sends what each test specifies.

use super::*;
use crate::Exit;
use crate::call::test_server::{TestServer, Turn};
use crate::call::{DaemonAddress, fetch_within};
use ccd_protocol::{ErrorCode, NoParams};

/// A server that answers the first request of each connection with the next of `replies`, then closes it.
fn serve(replies: &[&str]) -> TestServer {
    let replies = replies.iter();
    let turns = replies.map(|reply| vec![Turn::Raw((*reply).to_owned())]);
    TestServer::start(turns.collect())
}

fn ping(server: &TestServer) -> Result<Answer<Value>, Failure> {
    fetch_within(&server.place, "daemon.ping", &NoParams {}, None)
}

#[test]
fn a_request_names_client_and_protocol() {
    let server = serve(&["{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"new\":1}}\n"]);
    let answer = ping(&server).unwrap();
    assert_eq!(answer.json.get(), "{\"new\":1}");
    let expected = serde_json::json!({
        "jsonrpc": "2.0", "id": 1, "method": "daemon.ping", "params": {},
        "ccd": {"protocol": PROTOCOL_VERSION, "client": "ccctl"},
    });
    assert_eq!(server.requests(), [expected]);
}

#[test]
fn other_messages_before_the_reply_are_passed_over() {
    let server = serve(&[
        "{\"jsonrpc\":\"2.0\",\"method\":\"session.output\",\"params\":{}}\n\
        {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":1}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
    ]);
    ping(&server).unwrap();
}

#[test]
fn an_error_without_id_is_the_answer() {
    let server = serve(&[
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1006,\"message\":\"full\"}}\n",
    ]);
    let error = ping(&server).unwrap_err();
    let refusal = error.refusal().unwrap();
    assert_eq!(refusal.known(), Some(ErrorCode::LimitReached));
    assert_eq!(error.exit(), Exit::Refused);
}

#[test]
fn a_line_that_is_no_message_is_an_internal_error() {
    let server = serve(&["hello\n"]);
    assert_eq!(ping(&server).unwrap_err().exit(), Exit::Internal);
}

/// Calls a server that takes a request and a ping without a reply, then sends `replies`.
fn call_slow(replies: &str) -> Result<(), Failure> {
    let turns = vec![Turn::Lose, Turn::Raw(replies.to_owned()), Turn::KeepOpen];
    let server = TestServer::start(vec![turns]);
    let limit = Some(Duration::from_millis(1));
    let answer = fetch_within(&server.place, "daemon.reload", &NoParams {}, limit);
    let requests = server.requests();
    let methods = requests.iter().map(|request| &request["method"]);
    assert!(methods.eq(["daemon.reload", "daemon.ping"]));
    answer.map(drop)
}

#[test]
fn a_slow_call_of_a_daemon_that_replies_to_a_ping_is_waited_for() {
    let answer = call_slow(
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\
        {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"path\":null,\"warnings\":[]}}\n",
    );
    assert!(answer.is_ok(), "{answer:?}");
}

#[test]
fn a_daemon_that_does_not_reply_to_a_ping_either_is_silent() {
    let failure = call_slow("").unwrap_err();
    assert!(matches!(failure, Failure::Silent { .. }), "{failure:?}");
    assert_eq!(failure.exit(), Exit::Failed);
}

#[test]
fn a_long_request_that_is_not_read_is_silent() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let place = DaemonAddress::of_socket(socket);
    let long = "x".repeat(4 << 20);
    let limit = Some(Duration::from_millis(1));
    let failure = fetch_within(&place, "session.send", &long, limit).unwrap_err();
    assert!(matches!(failure, Failure::Silent { .. }), "{failure:?}");
}
