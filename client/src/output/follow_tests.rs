//! Subscriptions to a daemon that is handed over in between.

use super::*;
use crate::call::test_server::{TestServer, Turn};
use serde_json::{Value, json};

/// Answers each connection's request for a subscription with the next of `pushed`, then closes it. On the second one,
/// the client may look up the session before.
fn serve(pushed: Vec<Vec<Value>>, looks_up: bool) -> TestServer {
    let turns = pushed.into_iter().map(|items| vec![Turn::Push(items)]);
    let mut connections: Vec<Vec<Turn>> = turns.collect();
    if looks_up {
        let created_at = "2020-01-01T00:00:00.000Z";
        let record = json!({"session_id": "k3", "created_at": created_at, "timeout": 1.0});
        connections[1].insert(0, Turn::Answer(record));
    }
    TestServer::start(connections)
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
    let pushed = vec![
        vec![output(0, 0, 1, "YQ=="), output(1, 1, 3, "YmM=")],
        vec![],
        vec![
            json!({"seq": 0, "keep_alive": true}),
            output(1, 3, 4, "ZA=="),
        ],
        vec![ended(0, 4)],
    ];
    let server = serve(pushed, true);
    let mut follow = start(&server.place, None).unwrap();
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
    let requests = server.requests();
    let asked = |key: &str| -> Vec<Value> {
        let params = requests.iter().map(|request| &request["params"]);
        params.map(|params| params[key].clone()).collect()
    };
    // The name may be another session's by now, so the second connection begins with a look at the session.
    assert_eq!(asked("session"), ["sh", "sh", "k3", "k3", "k3"]);
    assert_eq!(json!(asked("since")), json!([0, null, 3, 3, 4]));
}

#[test]
fn connections_that_bring_nothing_are_not_replaced_for_ever() {
    let quiet = 6;
    let server = serve(vec![vec![]; quiet], true);
    let failure = start(&server.place, None).unwrap().next().unwrap_err();
    assert!(matches!(failure, Failure::Lost { .. }), "{failure}");
    assert_eq!(server.requests().len(), quiet + 1);
}

#[test]
fn the_lifeline_is_the_connection_of_the_moment() {
    let pushed = [output(0, 0, 1, "YQ=="), output(0, 1, 2, "Yg==")];
    let server = serve(pushed.map(|item| vec![item]).into(), false);
    let (before, _far) = std::os::unix::net::UnixStream::pair().unwrap();
    let lifeline = Lifeline::new(before);
    let mut follow = start(&server.place, Some(lifeline.clone())).unwrap();
    follow.next().unwrap();
    follow.next().unwrap();
    lifeline.cut();
    server.requests();
    // No third connection is made: the server would not serve it.
    let failure = follow.next().unwrap_err();
    assert!(matches!(failure, Failure::Lost { .. }), "{failure}");
}
