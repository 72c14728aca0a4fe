//! Input on its way to a daemon that is handed over in between.

use super::*;
use crate::call::test_server::{TestServer, Turn};
use serde_json::json;

fn answer() -> Turn {
    Turn::Answer(json!({"offset": 0, "written_bytes": 1, "hidden": false}))
}

/// The typed bytes of each request, and whether the input ended there.
fn typed(server: TestServer) -> Vec<(String, bool)> {
    let requests = server.requests().into_iter();
    requests
        .map(|request| {
            let params = &request["params"];
            let bytes = crate::output::decode(params["data_b64"].as_str().unwrap()).unwrap();
            (String::from_utf8(bytes).unwrap(), params["eof"] == true)
        })
        .collect()
}

fn forward(server: &TestServer) -> Forward {
    Forward {
        place: server.place.clone(),
        connection: Connection::over(server.place.connect().unwrap()),
        session: "k3".to_owned(),
        has_warned: false,
        is_piped: false,
        is_taped: false,
        misses: Misses::default(),
    }
}

#[test]
fn what_could_not_be_sent_goes_over_another_connection() {
    let server = TestServer::start(vec![vec![answer()], vec![answer()]]);
    let mut forward = forward(&server);
    forward.send(b"a", false).unwrap();
    server.closed.recv().unwrap();
    forward.send(b"b", false).unwrap();
    assert!(!forward.has_warned);
    let sent = [("a".to_owned(), false), ("b".to_owned(), false)];
    assert_eq!(typed(server), sent);
}

#[test]
fn what_was_not_answered_is_not_typed_again_but_the_end_is_told_again() {
    let server = TestServer::start(vec![
        vec![Turn::Lose],
        vec![answer(), Turn::Lose],
        vec![answer()],
    ]);
    let mut forward = forward(&server);
    forward.send(b"a", false).unwrap();
    assert!(forward.has_warned);
    let warning = "run: the daemon was restarted or killed: up to 2 bytes of input may be lost";
    assert_eq!(lost_input(2), warning);
    forward.send(b"b", false).unwrap();
    forward.send(b"c", true).unwrap();
    let sent = [("a", false), ("b", false), ("c", true), ("", true)];
    assert_eq!(
        typed(server),
        sent.map(|(text, eof)| (text.to_owned(), eof))
    );
}

#[test]
fn a_daemon_that_is_gone_ends_the_input() {
    let server = TestServer::start(vec![vec![Turn::Lose]]);
    let place = server.place.clone();
    forward(&server).bytes(&b"a\n"[..], InputPace::of(None));
    assert_eq!(typed(server).len(), 1);
    assert!(place.connect().is_err());
}

/// The daemon refuses a line that the program's terminal would truncate. A long paste is therefore sent in parts, and
/// only the terminal truncates it, as anywhere else.
#[test]
fn keys_go_in_pieces_that_no_terminal_refuses() {
    let paste = "z".repeat(2 * MAX_KEYS_LEN + 1);
    let server = TestServer::start(vec![vec![answer(), answer(), answer()]]);
    forward(&server).keys(paste.as_bytes());
    let lens: Vec<usize> = typed(server).iter().map(|(keys, _)| keys.len()).collect();
    assert_eq!(lens, [MAX_KEYS_LEN, MAX_KEYS_LEN, 1]);
}
