//! Output from a server that pushes too fast.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::thread::JoinHandle;

const SUBSCRIBED: &str = r#"{"jsonrpc":"2.0","id":1,"result":"s1"}"#;

/// Answers each connection's first line with the next of `replies`; returns the requests.
fn serve(socket: &Path, replies: Vec<String>) -> JoinHandle<Vec<serde_json::Value>> {
    let listener = UnixListener::bind(socket).unwrap();
    std::thread::spawn(move || {
        // Connections stay open until everything is sent: the end of one would mean that the daemon was stopped.
        let mut open = Vec::new();
        let requests = replies.iter().map(|reply| {
            let (stream, _) = listener.accept().unwrap();
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).unwrap();
            (&stream).write_all(reply.as_bytes()).unwrap();
            open.push(stream);
            serde_json::from_str(&line).unwrap()
        });
        requests.collect()
    })
}

fn item(result: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session.output","params":{{"subscription":"s1","result":{result}}}}}"#
    )
}

fn read_reply(start: u64, end: u64, data: &[u8]) -> String {
    let data = BASE64.encode(data);
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"data_b64":"{data}","start":{start},"end":{end},"truncated":false,"omitted_bytes":0}}}}
"#
    )
}

#[test]
fn what_was_missed_is_read_back_before_what_comes() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let pushed = [
        SUBSCRIBED.to_owned(),
        item(r#"{"seq":0,"start":0,"end":1,"data_b64":"YQ=="}"#),
        item(r#"{"seq":1,"lagged":{"from":1,"to":6}}"#),
        item(r#"{"seq":2,"keep_alive":true}"#),
        item(r#"{"seq":3,"start":6,"end":7,"data_b64":"eg=="}"#),
        item(r#"{"seq":4,"ended":{"exitstatus":3,"signal":null,"end_reason":"exited","end":7}}"#),
        String::new(),
    ];
    let server = serve(
        &socket,
        vec![
            pushed.join("\n"),
            read_reply(2, 4, b"cd"),
            read_reply(4, 4, b""),
        ],
    );
    let place = DaemonAddress::of_socket(socket);
    let connection = Connection::over(place.connect().unwrap());
    let mut output = Output::start(place, connection, "k3", 0, OutputForm::Raw, None).unwrap();
    let mut pieces = Vec::new();
    let ended = loop {
        match output.next().unwrap() {
            OutputChunk::Ended(ended) => break ended,
            piece => pieces.push(piece),
        }
    };
    let expected = [
        OutputChunk::Output(b"a".to_vec()),
        OutputChunk::Output(b"cd".to_vec()),
        OutputChunk::Missing(3),
        OutputChunk::Output(b"z".to_vec()),
    ];
    assert_eq!(pieces, expected);
    assert_eq!(ended.exitstatus, Some(3));
    let requests = server.join().unwrap();
    assert_eq!(requests[0]["params"]["since"], 0);
    assert_eq!(requests[1]["params"]["since"], 1);
    assert_eq!(requests[2]["params"]["since"], 4);
    assert_eq!(requests[2]["params"]["max_bytes"], 2);
}

#[test]
fn a_daemon_that_goes_away_is_no_end_of_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let server = serve(&socket, vec![format!("{SUBSCRIBED}\n")]);
    let place = DaemonAddress::of_socket(socket);
    let connection = Connection::over(place.connect().unwrap());
    let mut output = Output::start(place, connection, "k3", 0, OutputForm::Raw, None).unwrap();
    server.join().unwrap();
    let failure = output.next().unwrap_err();
    assert!(matches!(failure, Failure::Lost { .. }), "{failure}");
}

#[test]
fn output_is_cut_where_its_stream_changes() {
    let out = |text: &str| OutputChunk::Output(text.into());
    let error = |text: &str| OutputChunk::Error(text.into());
    assert_eq!(parts_of(5, b"abc", &[]), [out("abc")]);
    assert_eq!(parts_of(5, b"abc", &[[5, 8]]), [error("abc")]);
    let parts = parts_of(5, b"abcdef", &[[6, 7], [9, 11]]);
    assert_eq!(parts, [out("a"), error("b"), out("cd"), error("ef")]);
    // Bytes that an earlier connection has delivered are cut off.
    assert_eq!(parts_of(7, b"cdef", &[[6, 8]]), [error("c"), out("def")]);
    assert_eq!(parts_of(0, b"", &[[3, 9]]), []);
}
