//! Output from a server that pushes too fast.

use super::*;
use crate::call::test_server::{TestServer, Turn};
use serde_json::{Value, json};

fn start(server: &TestServer) -> Output {
    let connection = Connection::over(server.place.connect().unwrap());
    let place = server.place.clone();
    Output::start(place, connection, "k3", 0, OutputForm::Raw, None).unwrap()
}

fn read_reply(start: u64, end: u64, data: &[u8]) -> Vec<Turn> {
    let data = super::super::encode(data);
    let reply = json!({"data_b64": data, "start": start, "end": end, "truncated": false, "omitted_bytes": 0});
    vec![Turn::Answer(reply)]
}

#[test]
fn what_was_missed_is_read_back_before_what_comes() {
    let ended = json!({"exitstatus": 3, "signal": null, "end_reason": "exited", "end": 7});
    let pushed = vec![
        json!({"seq": 0, "start": 0, "end": 1, "data_b64": "YQ=="}),
        json!({"seq": 1, "lagged": {"from": 1, "to": 6}}),
        json!({"seq": 2, "keep_alive": true}),
        json!({"seq": 3, "start": 6, "end": 7, "data_b64": "eg=="}),
        json!({"seq": 4, "ended": ended}),
    ];
    // The end of the connection would mean that the daemon was stopped.
    let server = TestServer::start(vec![
        vec![Turn::Push(pushed), Turn::KeepOpen],
        read_reply(2, 4, b"cd"),
        read_reply(4, 4, b""),
    ]);
    let mut output = start(&server);
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
    let requests = server.requests();
    let since: Vec<&Value> = requests
        .iter()
        .map(|request| &request["params"]["since"])
        .collect();
    assert_eq!(since, [0, 1, 4]);
    assert_eq!(requests[2]["params"]["max_bytes"], 2);
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
