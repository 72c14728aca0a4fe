//! Input on its way to a daemon that is handed over in between.

use super::*;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// What a server does with a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InputTurn {
    Answer,
    /// Answers, and ends the connection.
    AnswerAndEnd,
    /// Ends the connection.
    Lose,
}

struct InputServer {
    place: DaemonAddress,
    /// The typed bytes of each request, and whether the input ended there.
    requests: JoinHandle<Vec<(String, bool)>>,
    /// Receives a value each time a connection was closed.
    closed: Receiver<()>,
    _folder: tempfile::TempDir,
}

fn serve(turns: Vec<InputTurn>) -> InputServer {
    let (place, listener, folder) = DaemonAddress::listening();
    let (say, closed) = sync_channel(8);
    let requests = std::thread::spawn(move || {
        let mut requests = Vec::new();
        let mut turns = turns.into_iter().peekable();
        while turns.peek().is_some() {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(&stream);
            for turn in turns.by_ref() {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let request: Value = serde_json::from_str(&line).unwrap();
                let params = &request["params"];
                let bytes = BASE64.decode(params["data_b64"].as_str().unwrap()).unwrap();
                requests.push((String::from_utf8(bytes).unwrap(), params["eof"] == true));
                if turn != InputTurn::Lose {
                    let result = json!({"offset": 0, "written_bytes": 1, "hidden": false});
                    let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
                    writeln!({ &stream }, "{reply}").unwrap();
                }
                if turn != InputTurn::Answer {
                    break;
                }
            }
            drop(reader);
            drop(stream);
            let _ = say.send(());
        }
        requests
    });
    InputServer {
        place,
        requests,
        closed,
        _folder: folder,
    }
}

fn forward(server: &InputServer) -> Forward {
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
    let server = serve(vec![InputTurn::AnswerAndEnd, InputTurn::Answer]);
    let mut forward = forward(&server);
    forward.send(b"a", false).unwrap();
    server.closed.recv().unwrap();
    forward.send(b"b", false).unwrap();
    assert!(!forward.has_warned);
    let requests = server.requests.join().unwrap();
    assert_eq!(requests, [("a".to_owned(), false), ("b".to_owned(), false)]);
}

#[test]
fn what_was_not_answered_is_not_typed_again_but_the_end_is_told_again() {
    let server = serve(vec![
        InputTurn::Lose,
        InputTurn::Answer,
        InputTurn::Lose,
        InputTurn::Answer,
    ]);
    let mut forward = forward(&server);
    forward.send(b"a", false).unwrap();
    assert!(forward.has_warned);
    forward.send(b"b", false).unwrap();
    forward.send(b"c", true).unwrap();
    let sent = |text: &str, is_end| (text.to_owned(), is_end);
    let requests = server.requests.join().unwrap();
    assert_eq!(
        requests,
        [
            sent("a", false),
            sent("b", false),
            sent("c", true),
            sent("", true)
        ]
    );
}

#[test]
fn a_daemon_that_is_gone_ends_the_input() {
    let server = serve(vec![InputTurn::Lose]);
    let forward = forward(&server);
    let place = server.place.clone();
    std::thread::spawn(move || {
        server.requests.join().unwrap();
    });
    forward.bytes(&b"a\n"[..], InputPace::of(None));
    assert!(place.connect().is_err());
}

/// The daemon refuses a line that the program's terminal would truncate. A long paste is therefore sent in parts, and
/// only the terminal truncates it, as anywhere else.
#[test]
fn keys_go_in_pieces_that_no_terminal_refuses() {
    let paste = "z".repeat(2 * MAX_KEYS_LEN + 1);
    let server = serve(vec![InputTurn::Answer; 3]);
    forward(&server).keys(paste.as_bytes());
    let requests = server.requests.join().unwrap();
    let lens: Vec<usize> = requests.iter().map(|(keys, _)| keys.len()).collect();
    assert_eq!(lens, [MAX_KEYS_LEN, MAX_KEYS_LEN, 1]);
}
