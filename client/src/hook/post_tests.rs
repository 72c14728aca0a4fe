use super::super::payload::Payload;
use super::*;
use crate::call::test_server::{TestServer, Turn};
use serde_json::{Value, json};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Far more than a reply takes, for tests in which there is one.
const PATIENT: Duration = Duration::from_secs(60);

const SHORT: Duration = Duration::from_millis(50);

fn listening() -> (UnixListener, PathBuf, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    (UnixListener::bind(&path).unwrap(), path, folder)
}

fn posted(path: &Path, payload: &str, limit: Duration) -> Option<HookPostReply> {
    let payload = Payload::of(payload.into()).unwrap();
    let delivery = Delivery::of(payload, SystemTime::now(), None);
    post(path, &delivery, Instant::now() + limit)
}

/// Posts to a server that answers with these bytes and keeps the connection open.
fn answered(reply: &str, limit: Duration, payload: &str) -> (Option<HookPostReply>, Value) {
    let turns = vec![Turn::Raw(reply.to_owned()), Turn::KeepOpen];
    let server = TestServer::start(vec![turns]);
    let posted = posted(&server.socket, payload, limit);
    (posted, server.requests().remove(0))
}

#[test]
fn a_payload_larger_than_the_socket_takes_at_once_arrives_whole() {
    let text = "x".repeat(10 << 20);
    let reply = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    let (posted, request) = answered(reply, PATIENT, &json!({ "a": text }).to_string());
    assert_eq!(posted.unwrap().output, None);
    assert_eq!(request["params"]["payload"]["a"], text);
}

#[test]
fn only_a_payload_that_was_taken_or_can_never_be_is_done() {
    let error = |code: i32| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{{\"code\":{code},\"message\":\"m\"}}}}\n"
        )
    };
    let limit = |reply: &str| {
        if reply.ends_with('\n') {
            PATIENT
        } else {
            SHORT
        }
    };
    let is_done = |reply: &str| answered(reply, limit(reply), "{}").0.is_some();
    assert!(is_done(&error(ErrorCode::HookPayloadInvalid as i32)));
    for reply in [
        &*error(ErrorCode::VersionMismatch as i32),
        &error(ErrorCode::MethodNotFound as i32),
        &error(ErrorCode::Busy as i32),
        "garbage\n",
        "{}\n",
        "\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", // without its newline
        "",
    ] {
        assert!(!is_done(reply), "{reply:?}");
    }
}

#[test]
fn a_daemon_that_does_not_reply_is_left_at_the_deadline() {
    let (listener, path, _folder) = listening();
    let start = Instant::now();
    // Nobody accepts: the request is in the socket's buffer.
    assert!(posted(&path, "{}", SHORT).is_none());
    // The buffer is too small.
    let large = json!({ "a": "x".repeat(5 << 20) }).to_string();
    assert!(posted(&path, &large, SHORT).is_none());
    assert!(start.elapsed() >= SHORT);
    assert!(start.elapsed() < PATIENT);
    drop(listener);
}

#[test]
fn a_full_queue_of_connections_is_left_at_the_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let listener = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let _first = UnixStream::connect(&path).unwrap();
    let start = Instant::now();
    assert!(posted(&path, "{}", SHORT).is_none());
    assert!(start.elapsed() < PATIENT);
}

#[test]
fn without_a_daemon_nothing_is_waited_for() {
    let hangs_up = TestServer::start(vec![Vec::new()]);
    assert!(posted(&hangs_up.socket, "{}", PATIENT).is_none());
    let (listener, path, folder) = listening();
    assert!(posted(&folder.path().join("none"), "{}", PATIENT).is_none());
    drop(listener);
    assert!(posted(&path, "{}", PATIENT).is_none());
    assert!(posted(Path::new(&"/x".repeat(99)), "{}", PATIENT).is_none());
}
