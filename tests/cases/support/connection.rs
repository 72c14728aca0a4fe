//! A connection for the line transport.

use super::eventually::eventually;
use ccd_protocol::Method;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// A client of the line protocol.
pub(crate) struct Connection {
    stream: UnixStream,
    reader: BufReader<UnixStream>,
    next_id: u64,
    /// Replies that arrived while another one was awaited.
    answers: Vec<Value>,
    /// Notifications that arrived while something else was awaited.
    notifications: Vec<Value>,
}

impl Connection {
    pub(crate) fn open(socket: &Path) -> Self {
        Self::over(UnixStream::connect(socket).unwrap())
    }

    /// Uses a connected stream.
    pub(crate) fn over(stream: UnixStream) -> Self {
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        Self {
            stream,
            reader,
            next_id: 1,
            answers: Vec::new(),
            notifications: Vec::new(),
        }
    }

    /// Returns whether a daemon answers on this socket.
    pub(crate) fn answers(socket: &Path) -> bool {
        let Ok(mut stream) = UnixStream::connect(socket) else {
            return false;
        };
        let asked =
            stream.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.ping\"}\n");
        let mut line = String::new();
        asked.is_ok()
            && BufReader::new(stream)
                .read_line(&mut line)
                .is_ok_and(|len| len > 0)
    }

    /// Sends bytes unchanged.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// Returns the stream itself, for example to close one direction.
    pub(crate) fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// Sends a request and returns its id, without waiting for the reply.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send_raw(format!("{line}\n").as_bytes());
        id
    }

    /// Returns the next line; `None` at the end.
    pub(crate) fn next_line(&mut self) -> Option<Value> {
        let mut line = String::new();
        let len = self.reader.read_line(&mut line).unwrap();
        (len > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Returns the next complete line; `None` if the daemon has ended in any way.
    pub(crate) fn next_line_or_end(&mut self) -> Option<Value> {
        let mut line = String::new();
        let len = self.reader.read_line(&mut line).unwrap_or(0);
        (len > 0 && line.ends_with('\n')).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Waits for the reply to a request; replies may arrive in any order.
    pub(crate) fn answer(&mut self, id: u64) -> Result<Value, Value> {
        let is_answer = |line: &Value| line.get("id") == Some(&json!(id));
        let line = match self.answers.iter().position(is_answer) {
            Some(place) => self.answers.swap_remove(place),
            None => loop {
                let line = self
                    .next_line()
                    .expect("an answer before the connection ends");
                if is_answer(&line) {
                    break line;
                }
                if line.get("id").is_some() {
                    self.answers.push(line);
                } else {
                    self.notifications.push(line);
                }
            },
        };
        match line.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(line["result"].clone()),
        }
    }

    /// Returns the `params.result` of the next notification.
    pub(crate) fn next_item(&mut self) -> Option<Value> {
        loop {
            let line = if self.notifications.is_empty() {
                self.next_line()?
            } else {
                self.notifications.remove(0)
            };
            if line.get("method").is_some() {
                return Some(line["params"]["result"].clone());
            }
        }
    }

    /// Returns a notification that has already arrived while something else was awaited.
    pub(crate) fn take_notification(&mut self) -> Option<Value> {
        (!self.notifications.is_empty()).then(|| self.notifications.remove(0))
    }

    pub(crate) fn call_value(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Makes a call that must succeed, and returns its result.
    #[track_caller]
    pub(crate) fn ok(&mut self, method: &str, params: &Value) -> Value {
        match self.call_value(method, params) {
            Ok(reply) => reply,
            Err(error) => panic!("{method} {params}: {error}"),
        }
    }

    /// Starts a job, waits for its end, and returns it.
    #[track_caller]
    pub(crate) fn job(&mut self, method: &str, params: &Value) -> Value {
        let started = self.ok(method, params);
        self.ended_job(&started["job"])
    }

    /// Waits for the end of a job, and returns it.
    #[track_caller]
    pub(crate) fn ended_job(&mut self, job: &Value) -> Value {
        self.ok("job.get", &json!({"job": job, "wait_ms": 60_000}))
    }

    /// Makes a call that must fail, and returns its error.
    #[track_caller]
    pub(crate) fn error(&mut self, method: &str, params: &Value) -> Value {
        match self.call_value(method, params) {
            Ok(reply) => panic!("{method} {params} should fail, but returned {reply}"),
            Err(error) => error,
        }
    }

    #[track_caller]
    pub(crate) fn status(&mut self) -> Value {
        self.ok("daemon.status", &json!({}))
    }

    #[track_caller]
    pub(crate) fn ping(&mut self) {
        assert_eq!(self.ok("daemon.ping", &json!({})), json!({}));
    }

    /// Asserts that a call fails with this kind, and returns the message.
    #[track_caller]
    pub(crate) fn refused(&mut self, method: &str, params: &Value, expected: &str) -> String {
        let error = self.error(method, params);
        assert_eq!(kind(&error), expected, "{method} {params}: {error}");
        error["message"].as_str().unwrap().to_owned()
    }

    /// Starts a program without time limits and returns the id of its session.
    pub(crate) fn start_session(&mut self, argv: &[&str]) -> String {
        let params = json!({"program": argv[0], "args": argv[1..], "persist": true});
        let session = self.ok("session.create", &params);
        session["session_id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn record(&mut self, session: &str) -> Value {
        self.ok("session.get", &json!({"session": session}))
    }

    /// Waits until a session has printed a text.
    #[track_caller]
    pub(crate) fn expect_text(&mut self, session: &str, text: &str) {
        let params = json!({"session": session, "patterns": [{"exact": text}]});
        self.ok("session.expect", &params);
    }

    /// Waits for the end of a session and returns its record.
    pub(crate) fn ended(&mut self, session: &str) -> Value {
        eventually("the session has ended", || {
            Some(self.record(session)).filter(|record| record["state"] == "dead")
        })
    }

    pub(crate) fn call<M: Method>(&mut self, params: &M::Params) -> Result<M::Reply, Value> {
        let params = serde_json::to_value(params).unwrap();
        self.call_value(M::NAME, &params)
            .map(|reply| serde_json::from_value(reply).unwrap())
    }
}

/// Returns the kind of an error.
pub(crate) fn kind(error: &Value) -> &str {
    error["data"]["kind"].as_str().unwrap_or("none")
}
