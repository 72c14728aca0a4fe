//! `ccctl run` through a handover, with a fake daemon.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A connection of `ccctl`, and its first request.
struct Asked {
    reader: BufReader<UnixStream>,
    request: Value,
}

/// A daemon that knows one session, `k3`.
struct FakeDaemon {
    home: TempDir,
    listener: UnixListener,
}

impl FakeDaemon {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("run")).unwrap();
        let listener = UnixListener::bind(home.path().join("run/ccd.sock")).unwrap();
        Self { home, listener }
    }

    fn run(&self) -> Child {
        Command::new(env!("CARGO_BIN_EXE_ccctl_under_test"))
            .args(["run", "--", "program"])
            .env_remove("CCD_SOCKET")
            .env("CCD_HOME", self.home.path())
            .env("CCD_NO_START", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Accepts a connection and reads its first request.
    fn asked(&self) -> Asked {
        let (stream, _) = self.listener.accept().unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let mut asked = Asked {
            reader: BufReader::new(stream),
            request: Value::Null,
        };
        asked.next();
        asked
    }

    /// Answers the start of the program and the subscription, and accepts the connection for input.
    fn started(&self) -> (Asked, UnixStream) {
        let mut lifeline = self.asked();
        lifeline.expect("session.create");
        assert_eq!(lifeline.request["params"]["transient"], true);
        lifeline.answer(&record());
        let (input, _) = self.listener.accept().unwrap();
        lifeline.next();
        lifeline.expect("session.subscribe");
        lifeline.answer(&json!("s1"));
        (lifeline, input)
    }
}

impl Asked {
    fn next(&mut self) {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        self.request = serde_json::from_str(&line).unwrap();
    }

    #[track_caller]
    fn expect(&self, method: &str) {
        assert_eq!(self.request["method"], method, "{}", self.request);
    }

    fn say(&mut self, line: &Value) {
        writeln!(self.reader.get_mut(), "{line}").unwrap();
    }

    fn answer(&mut self, result: &Value) {
        let line = json!({"jsonrpc": "2.0", "id": self.request["id"], "result": result});
        self.say(&line);
    }

    fn push(&mut self, item: &Value) {
        let params = json!({"subscription": "s1", "result": item});
        self.say(&json!({"jsonrpc": "2.0", "method": "session.output", "params": params}));
    }
}

fn record() -> Value {
    json!({
        "session_id": "k3", "name": null, "program": "program", "args": [], "cwd": "/", "timeout": 30.0,
        "created_at": "2026-01-02T03:04:05.678Z", "last_activity": "2026-01-02T03:04:05.678Z", "persist": false,
        "encoding": "utf-8", "pid": 7, "exitstatus": null, "signal": null, "state": "alive", "end_reason": null,
        "rows": 24, "cols": 80, "pipe": null, "waiting_for_input": null, "attached": [],
        "output": {"log_path": "/l", "output_lines": 1, "output_bytes": 2, "buffer_size": 2, "rotated_at": null},
        "config": null, "tape": null, "is_replay": false, "session_timeout_s": 0.0, "max_session_runtime_s": 0.0,
        "shell": false, "transient": true,
    })
}

#[test]
fn input_that_was_not_answered_is_not_typed_twice_and_told() {
    let daemon = FakeDaemon::start();
    let mut run = daemon.run();
    let (mut lifeline, input) = daemon.started();
    let mut stdin = run.stdin.take().unwrap();
    stdin.write_all(b"x\n").unwrap();
    BufReader::new(&input)
        .read_line(&mut String::new())
        .unwrap();
    drop(input);
    stdin.write_all(b"y\n").unwrap();
    drop(stdin);
    let mut input = daemon.asked();
    assert_eq!(input.request["params"]["data_b64"], "eQo=");
    input.answer(&json!({"offset": 0, "written_bytes": 2, "hidden": false}));
    let ended = json!({"exitstatus": 0, "signal": null, "end_reason": "exited", "end": 0});
    lifeline.push(&json!({"seq": 0, "ended": ended}));
    let ran = run.wait_with_output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&ran.stderr),
        "ccctl: run: the daemon was restarted or killed: up to 2 bytes of input may be lost\n"
    );
    assert_eq!(ran.status.code(), Some(0));
}

#[test]
fn a_run_that_nobody_goes_on_with_says_so() {
    let daemon = FakeDaemon::start();
    let run = daemon.run();
    let (lifeline, _input) = daemon.started();
    drop(lifeline);
    let mut lifeline = daemon.asked();
    lifeline.expect("session.subscribe");
    let error = json!({"code": 2001, "message": "no session has the id \"k3\"", "data": {"kind": "session_not_found"}});
    let line = json!({"jsonrpc": "2.0", "id": lifeline.request["id"], "error": error});
    lifeline.say(&line);
    let ran = run.wait_with_output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&ran.stderr),
        "ccctl: run: the daemon was restarted or killed before it replied; the program is ended too\n"
    );
    assert_eq!(ran.status.code(), Some(3));
}
