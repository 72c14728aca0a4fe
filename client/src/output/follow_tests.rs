//! Subscriptions to a daemon that is handed over in between.

use super::*;
use serde_json::{Value, json};
use std::io::{BufReader, Write as _};
use std::thread::JoinHandle;

const CREATED_AT: &str = "2020-01-01T00:00:00.000Z";

/// Answers each connection's request for a subscription with the next of `pushed`, then closes it.
fn serve(pushed: Vec<Vec<Value>>) -> (tempfile::TempDir, DaemonAddress, JoinHandle<Vec<Value>>) {
    let (place, listener, folder) = DaemonAddress::listening();
    let requests = std::thread::spawn(move || {
        let requests = pushed.iter().map(|items| {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(&stream);
            let mut request = read(&mut reader);
            if request["method"] == "session.get" {
                assert_eq!(request["params"]["session"], "sh");
                let result = json!({"session_id": "k3", "created_at": CREATED_AT, "timeout": 1.0});
                let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
                writeln!({ &stream }, "{reply}").unwrap();
                request = read(&mut reader);
            }
            let id = &request["id"];
            let mut reply = json!({"jsonrpc": "2.0", "id": id, "result": "s1"}).to_string();
            for item in items {
                let params = json!({"subscription": "s1", "result": item});
                let item = json!({"jsonrpc": "2.0", "method": "session.output", "params": params});
                reply.push_str(&format!("\n{item}"));
            }
            writeln!({ &stream }, "{reply}").unwrap();
            request
        });
        requests.collect()
    });
    (folder, place, requests)
}

fn read(reader: &mut impl std::io::BufRead) -> Value {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

fn output(seq: u64, start: u64, end: u64, data: &str) -> Value {
    json!({"seq": seq, "start": start, "end": end, "data_b64": data})
}

fn ended(seq: u64, end: u64) -> Value {
    json!({"seq": seq, "ended": {"exitstatus": 3, "signal": null, "end_reason": "exited", "end": end}})
}

fn start(place: &DaemonAddress, lifeline: Option<Lifeline>) -> Result<Follow, Failure> {
    let connection = Connection::over(place.connect().unwrap());
    let params = SessionSubscribeParams {
        session: "sh".to_owned(),
        since: Some(0),
        ..SessionSubscribeParams::default()
    };
    Follow::start(place.clone(), connection, params, lifeline)
}

/// The items until the end, in order.
fn until_end(follow: &mut Follow) -> Vec<String> {
    let mut items = Vec::new();
    loop {
        let next = follow.next().unwrap();
        items.push(next.json.unwrap().get().to_owned());
        if matches!(next.item.event, OutputEvent::Ended { .. }) {
            return items;
        }
    }
}

#[test]
fn a_subscription_goes_on_at_the_end_of_what_came() {
    let (_folder, place, requests) = serve(vec![
        vec![output(0, 0, 1, "YQ=="), output(1, 1, 3, "YmM=")],
        vec![],
        vec![
            json!({"seq": 0, "keep_alive": true}),
            output(1, 3, 4, "ZA=="),
        ],
        vec![ended(0, 4)],
    ]);
    let mut follow = start(&place, None).unwrap();
    let expected = [
        output(0, 0, 1, "YQ=="),
        output(1, 1, 3, "YmM="),
        output(1, 3, 4, "ZA=="),
        ended(0, 4),
    ];
    let items: Vec<Value> = until_end(&mut follow)
        .iter()
        .map(|item| serde_json::from_str(item).unwrap())
        .collect();
    assert_eq!(items, expected);
    let requests = requests.join().unwrap();
    let since: Vec<&Value> = requests
        .iter()
        .map(|request| &request["params"]["since"])
        .collect();
    assert_eq!(since, [0, 3, 3, 4]);
    let sessions: Vec<&Value> = requests
        .iter()
        .map(|request| &request["params"]["session"])
        .collect();
    // The name may be another session's by now.
    assert_eq!(sessions, ["sh", "k3", "k3", "k3"]);
}

#[test]
fn connections_that_bring_nothing_are_not_replaced_for_ever() {
    let quiet = usize::try_from(MAX_SHORT_LOSSES).unwrap() + 1;
    let (_folder, place, requests) = serve(vec![vec![]; quiet]);
    let failure = start(&place, None).unwrap().next().unwrap_err();
    assert!(matches!(failure, Failure::Lost { .. }), "{failure}");
    assert_eq!(requests.join().unwrap().len(), quiet);
}

#[test]
fn a_daemon_that_is_gone_is_told_and_none_is_started() {
    let (_folder, mut place, requests) = serve(vec![vec![output(0, 0, 1, "YQ==")]]);
    place.may_start = true;
    let mut follow = start(&place, None).unwrap();
    follow.next().unwrap();
    requests.join().unwrap();
    let failure = follow.next().unwrap_err();
    assert!(matches!(failure, Failure::Lost { .. }), "{failure}");
    assert!(follow.next().is_err());
}

#[test]
fn the_lifeline_is_the_connection_of_the_moment() {
    let (_folder, place, requests) = serve(vec![
        vec![output(0, 0, 1, "YQ==")],
        vec![output(0, 1, 2, "Yg==")],
    ]);
    let (before, _far) = std::os::unix::net::UnixStream::pair().unwrap();
    let lifeline = Lifeline::new(before);
    let mut follow = start(&place, Some(lifeline.clone())).unwrap();
    follow.next().unwrap();
    follow.next().unwrap();
    lifeline.cut();
    requests.join().unwrap();
    // No third connection is made: the server would not serve it.
    let failure = follow.next().unwrap_err();
    assert!(matches!(failure, Failure::Lost { .. }), "{failure}");
}
