//! Which requests are repeated, and how, against a server that closes its connections.

use super::*;
use crate::Exit;
use crate::call::request_at;
use ccd_protocol::methods;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread::JoinHandle;

/// What the server does with one connection.
enum Turn {
    /// It answers the requests with these, then closes the connection.
    Answers(Vec<Value>),
    /// It closes the connection after the request.
    Lost,
    /// It closes the connection before it has read the request.
    #[cfg(target_os = "linux")]
    Unread,
}

struct TurnServer {
    place: DaemonAddress,
    requests: JoinHandle<Vec<Value>>,
    _folder: tempfile::TempDir,
}

fn serve(turns: Vec<Turn>) -> TurnServer {
    let (place, listener, folder) = DaemonAddress::listening();
    let requests = std::thread::spawn(move || {
        let mut requests = Vec::new();
        for turn in turns {
            let (stream, _) = listener.accept().unwrap();
            play(turn, &stream, &mut requests);
        }
        requests
    });
    TurnServer {
        place,
        requests,
        _folder: folder,
    }
}

fn play(turn: Turn, stream: &UnixStream, requests: &mut Vec<Value>) {
    let mut reader = BufReader::new(stream);
    let mut read = || {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        requests.push(serde_json::from_str(&line).unwrap());
    };
    match turn {
        Turn::Lost => read(),
        #[cfg(target_os = "linux")]
        Turn::Unread => {
            // Waits only until the request has arrived: data that is still in a closed socket was not read.
            let mut fds = [rustix::event::PollFd::new(
                stream,
                rustix::event::PollFlags::IN,
            )];
            rustix::event::poll(&mut fds, None).unwrap();
        }
        Turn::Answers(results) => {
            for (id, result) in (1..).zip(results) {
                read();
                let reply = json!({"jsonrpc": "2.0", "id": id, "result": result});
                writeln!({ stream }, "{reply}").unwrap();
            }
        }
    }
}

impl TurnServer {
    fn ask(&self, method: &str, params: &Value) -> Result<Box<RawValue>, Failure> {
        request_at(&self.place, method, params)
    }

    /// Method and parameters of all requests.
    fn requests(self) -> Vec<(String, Value)> {
        let requests = self.requests.join().unwrap().into_iter();
        requests
            .map(|mut request| {
                let method = request["method"].as_str().unwrap().to_owned();
                (method, request["params"].take())
            })
            .collect()
    }
}

fn record(created_at: &str) -> Value {
    json!({"session_id": "k3", "name": "sh", "created_at": created_at, "timeout": 30.0})
}

#[test]
fn every_repeatable_method_exists() {
    for (noun, verbs) in REPEATABLE {
        for verb in verbs.split(' ') {
            let name = format!("{noun}.{verb}");
            assert!(methods().any(|method| method.name == name), "{name}");
        }
    }
}

#[test]
fn an_expect_is_repeated_only_with_an_offset_and_waits_for_the_rest_of_its_time() {
    let params = json!({"session": "k3", "patterns": [{"eof": true}], "timeout_ms": 5000.0});
    let server = serve(vec![Turn::Lost]);
    let failure = server.ask("session.expect", &params).unwrap_err();
    assert!(failure.to_string().contains("--from"), "{failure}");
    assert_eq!(server.requests().len(), 1);

    let mut params = params;
    params["from"] = json!(7);
    let server = serve(vec![Turn::Lost, Turn::Answers(vec![json!({})])]);
    server.ask("session.expect", &params).unwrap();
    let requests = server.requests();
    let left = requests[1].1["timeout_ms"].as_f64().unwrap();
    assert!((MOMENT_MS..5000.0).contains(&left), "{left}");
    assert_eq!(requests[1].1["from"], 7);
}

#[test]
fn the_default_time_is_that_of_the_session() {
    let server = serve(vec![
        Turn::Lost,
        Turn::Answers(vec![record("2020-01-01T00:00:00.000Z"), json!({})]),
    ]);
    let params = json!({"session": "sh", "for": "input"});
    server.ask("session.wait", &params).unwrap();
    let requests = server.requests();
    assert_eq!(requests[1].0, "session.get");
    let left = requests[2].1["timeout_ms"].as_f64().unwrap();
    assert!((20_000.0..30_000.0).contains(&left), "{left}");
}

#[test]
fn a_wait_for_the_exit_has_no_time_that_could_pass() {
    for params in [
        json!({"session": "sh", "for": "exit"}),
        json!({"session": "sh", "for": "idle", "timeout_ms": null}),
    ] {
        let server = serve(vec![Turn::Lost, Turn::Answers(vec![json!({})])]);
        server.ask("session.wait", &params).unwrap();
        let requests = server.requests();
        assert_eq!(requests[0], requests[1]);
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
        "run.once",
        "daemon.reload",
        "daemon.stop",
        "daemon.restart",
        "daemon.upgrade",
    ] {
        let server = serve(vec![Turn::Lost]);
        let failure = server.ask(method, &json!({})).unwrap_err();
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
    let server = serve(vec![
        Turn::Unread,
        Turn::Unread,
        Turn::Answers(vec![json!({})]),
    ]);
    let params = json!({"session": "k3", "text": "rm -r x"});
    server.ask("session.send", &params).unwrap();
    assert_eq!(server.requests().len(), 1);
    let server = serve(vec![Turn::Unread, Turn::Lost]);
    let failure = server.ask("session.send", &params).unwrap_err();
    assert!(failure.to_string().contains("it is unknown"), "{failure}");
}

#[test]
#[cfg(target_os = "linux")]
fn what_was_read_once_may_have_been_done() {
    let mut turns = vec![Turn::Lost];
    turns.extend((0..=MAX_UNREAD).map(|_| Turn::Unread));
    let server = serve(turns);
    let failure = server.ask("session.list", &json!({})).unwrap_err();
    assert!(
        matches!(failure, Failure::Lost { was_read: true, .. }),
        "{failure}"
    );
}

#[test]
fn a_close_goes_to_the_session_that_was_there_when_it_was_asked_for() {
    let params = json!({"session": "sh"});
    let old = record("2020-01-01T00:00:00.000Z");
    // The second lost request is the lookup of the session.
    let server = serve(vec![
        Turn::Lost,
        Turn::Lost,
        Turn::Answers(vec![old, json!({})]),
    ]);
    server.ask("session.close", &params).unwrap();
    let requests = server.requests();
    assert_eq!(
        requests[3],
        ("session.close".to_owned(), json!({"session": "k3"}))
    );

    let new = record("2999-01-01T00:00:00.000Z");
    let server = serve(vec![Turn::Lost, Turn::Answers(vec![new])]);
    let failure = server.ask("session.close", &params).unwrap_err();
    assert!(failure.to_string().contains("it is unknown"), "{failure}");
}

#[test]
fn what_is_lost_at_once_twice_is_given_up() {
    let server = serve(vec![Turn::Lost, Turn::Lost]);
    let failure = server.ask("session.list", &json!({})).unwrap_err();
    assert!(matches!(failure, Failure::Lost { .. }), "{failure}");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_daemon_that_stops_is_no_hand_over() {
    let refusal =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1004,\"message\":\"it stops\"}}\n";
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let listener = UnixListener::bind(&socket).unwrap();
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        BufReader::new(&stream)
            .read_line(&mut String::new())
            .unwrap();
        (&stream).write_all(refusal.as_bytes()).unwrap();
    });
    let place = DaemonAddress {
        may_start: true,
        ..DaemonAddress::of_socket(socket)
    };
    let failure = request_at(&place, "session.list", &json!({})).unwrap_err();
    assert!(failure.refusal().is_some(), "{failure}");
    server.join().unwrap();
}

#[test]
fn times_are_shortened_to_a_moment_at_least() {
    let left = |ms: f64, passed_ms| {
        let mut time = json!(ms);
        shorten(Some(&mut time), Duration::from_millis(passed_ms));
        time.as_f64().unwrap()
    };
    assert_eq!(left(5000.0, 1000), 4000.0);
    assert_eq!(left(5000.0, 6000), MOMENT_MS);
    assert_eq!(left(20.0, 6000), 20.0);
    assert_eq!(left(0.0, 10), 0.0);
}
