//! Clients that are not written for ccd: curl, a WebSocket, ten lines of Python.

use crate::support::{Daemon, kind};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jsonrpsee::client_transport::ws::{Url, WsTransportClientBuilder};
use jsonrpsee::core::client::{
    Client, ClientBuilder, ClientT, Error, Subscription, SubscriptionClientT,
};
use jsonrpsee::core::params::{BatchRequestBuilder, ObjectParams};
use serde_json::{Value, json};
use std::process::{Command, Output};
use std::time::Duration;
use tokio::net::UnixStream;

/// Runs a program, or prints that it is missing.
fn run_if_installed(command: &mut Command) -> Option<Output> {
    match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: {:?} is not installed", command.get_program());
            None
        }
        output => Some(output.unwrap()),
    }
}

fn curl(daemon: &Daemon, message: &str) -> Option<Value> {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--show-error", "--unix-socket"]);
    curl.arg(daemon.socket()).arg("--data-binary").arg(message);
    curl.args(["-H", "content-type: application/json", "http://ccd/"]);
    let output = run_if_installed(&mut curl)?;
    assert!(output.status.success(), "{output:?}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn curl_posts_requests_and_batches() {
    let daemon = Daemon::start();
    let create = json!({"jsonrpc": "2.0", "id": 1, "method": "session.create", "params": {"program": "cat", "id": "posted"}});
    let Some(reply) = curl(&daemon, &create.to_string()) else {
        return;
    };
    assert_eq!(reply["result"]["session_id"], "posted");
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "session.send",
         "params": {"session": "posted", "text": "over http\r", "expect": {"patterns": [{"exact": "over http"}]}}},
        {"jsonrpc": "2.0", "id": 2, "method": "session.get", "params": {"session": "nobody"}},
    ]);
    let replies = curl(&daemon, &batch.to_string()).unwrap();
    assert_eq!(replies[0]["result"]["expect"]["matched"], "over http");
    assert_eq!(kind(&replies[1]["error"]), "session_not_found");
    let subscribe = json!({"jsonrpc": "2.0", "id": 1, "method": "session.subscribe", "params": {"session": "posted"}});
    let refused = curl(&daemon, &subscribe.to_string()).unwrap();
    assert_eq!(kind(&refused["error"]), "unavailable");
    for (wrong, code, id) in [
        ("{", -32700, Value::Null),
        ("{\"id\": 5}", -32600, json!(5)),
    ] {
        let reply = curl(&daemon, wrong).unwrap();
        assert_eq!((&reply["error"]["code"], &reply["id"]), (&json!(code), &id));
    }
}

#[test]
fn ten_lines_of_python_drive_a_session() {
    let daemon = Daemon::start();
    let script = r#"
import json, socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); f = s.makefile("rw")
def call(method, **params):
    f.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n"); f.flush()
    return json.loads(f.readline())["result"]
id = call("session.create", program="sh", args=["-c", "read name; echo hello $name"])["session_id"]
reply = call("session.send", session=id, text="world", newline=True, expect={"patterns": [{"regex": "hello (.*)\n"}]})
print(reply["expect"]["groups"][1])
"#;
    let socket = daemon.socket();
    let Some(output) = run_if_installed(Command::new("python3").args(["-c", script]).arg(socket))
    else {
        return;
    };
    assert_eq!(output.stdout, b"world\n", "{output:?}");
}

/// A stock jsonrpsee client on a WebSocket.
async fn websocket(daemon: &Daemon) -> Client {
    let stream = UnixStream::connect(daemon.socket()).await.unwrap();
    let url = Url::parse("ws://ccd/").unwrap();
    let transport = WsTransportClientBuilder::default().build_with_stream(url, stream);
    let (sender, receiver) = within(transport).await.unwrap();
    ClientBuilder::default().build_with_tokio(sender, receiver)
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future)
        .await
        .expect("it answers in time")
}

fn params(value: Value) -> ObjectParams {
    let mut params = ObjectParams::new();
    for (name, value) in value.as_object().unwrap() {
        params.insert(name, value).unwrap();
    }
    params
}

#[test]
fn a_stock_client_calls_and_subscribes_over_a_websocket() {
    let daemon = Daemon::start();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(async {
        let client = websocket(&daemon).await;
        let script = "read line; echo $line; exit 3";
        let create = params(json!({"program": "sh", "args": ["-c", script], "id": "ws"}));
        let session: Value = within(client.request("session.create", create))
            .await
            .unwrap();
        assert_eq!(session["state"], "alive");
        let nobody = params(json!({"session": "nobody"}));
        let unknown = within(client.request::<Value, _>("session.get", nobody)).await;
        assert!(matches!(&unknown, Err(Error::Call(error)) if error.code() == 2001));
        let mut batch = BatchRequestBuilder::new();
        for _ in 0..3 {
            batch.insert("daemon.ping", ObjectParams::new()).unwrap();
        }
        let replies = within(client.batch_request::<Value>(batch)).await.unwrap();
        assert_eq!(replies.num_successful_calls(), 3);
        let since = params(json!({"session": "ws", "since": 0}));
        let subscribe = client.subscribe("session.subscribe", since, "session.unsubscribe");
        let mut items: Subscription<Value> = within(subscribe).await.unwrap();
        let send = params(json!({"session": "ws", "text": "typed\r"}));
        let _: Value = within(client.request("session.send", send)).await.unwrap();
        let mut output = Vec::new();
        let ended = loop {
            let item = within(items.next()).await.unwrap().unwrap();
            match item["data_b64"].as_str() {
                Some(data) => output.extend(STANDARD.decode(data).unwrap()),
                None => break item,
            }
        };
        assert_eq!(String::from_utf8(output).unwrap(), "typed\r\ntyped\r\n");
        assert_eq!(ended["ended"]["exitstatus"], 3);
    });
}
