//! Many kills of the worker, and upgrades, while sessions flood, ask, sleep and exit, and clients wait for them.

use super::lent::numbered;
use crate::support::processes::{descriptors, lives, private_memory, with_variable, worker_of};
use crate::support::session::program;
use crate::support::worker::{is_one_process, other_build, worker};
use crate::support::{Daemon, any_moment, eventually, rounds};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::session::SessionCreateParams;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Lines that each flood prints per round.
const LINES_PER_ROUND: usize = 4_000;
const FLOODS: usize = 8;
const ASKERS: usize = 4;
const SLEEPERS: usize = 4;
const ENDERS: usize = 4;

/// The longest time that a client may wait for a reply.
const PATIENCE: Duration = Duration::from_secs(60);

/// The result of a call.
#[derive(Debug)]
enum Reply {
    Done(Value),
    Refused(Value),
    /// The connection ended before the reply.
    Lost,
}

/// A client that connects again whenever it has to; a refused connection fails the test.
struct Client {
    socket: PathBuf,
    reader: Option<BufReader<UnixStream>>,
}

impl Client {
    fn new(daemon: &Daemon) -> Self {
        Self {
            socket: daemon.socket(),
            reader: None,
        }
    }

    fn stream(&mut self) -> &mut BufReader<UnixStream> {
        self.reader.get_or_insert_with(|| {
            // The socket accepts connections even while there is no worker.
            let stream = UnixStream::connect(&self.socket).expect("no connection is refused");
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            BufReader::new(stream)
        })
    }

    fn call(&mut self, method: &str, params: &Value) -> Reply {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let sent = writeln!(self.stream().get_mut(), "{request}");
        match sent.ok().and_then(|()| self.next()) {
            None => {
                self.reader = None;
                Reply::Lost
            }
            Some(mut reply) => match reply.get_mut("result") {
                Some(result) => Reply::Done(result.take()),
                None => Reply::Refused(reply["error"].take()),
            },
        }
    }

    /// Returns the next line; `None` if the connection has ended, in which case the next call makes another one.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.stream().read_line(&mut line);
        let is_late = read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
        assert!(!is_late, "a reply arrives in time");
        if !line.ends_with('\n') {
            self.reader = None;
            return None;
        }
        Some(serde_json::from_str(&line).unwrap())
    }

    /// Makes a call that may be repeated.
    fn look(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        loop {
            match self.call(method, params) {
                Reply::Done(value) => return Ok(value),
                Reply::Refused(error) if error["data"]["kind"] == "handed_over" => {
                    assert_eq!(error["data"]["repeatable"], true, "{error}");
                    self.reader = None;
                }
                Reply::Refused(error) => return Err(error),
                Reply::Lost => {}
            }
        }
    }
}

/// Follows a session by subscriptions until its output ends with `all of it`; every byte must arrive once, in order,
/// except those that the disk did not accept.
fn follow(daemon: &Daemon, session: &str, expected: &[u8]) {
    let mut client = Client::new(daemon);
    let mut at = 0;
    while at < expected.len() {
        let params = json!({"session": session, "since": at});
        match client.call("session.subscribe", &params) {
            Reply::Done(_) => {}
            Reply::Refused(error) => panic!("{error}"),
            Reply::Lost => continue,
        }
        while at < expected.len() {
            let Some(item) = client.next() else {
                break;
            };
            let item = &item["params"]["result"];
            if let Some(data) = item["data_b64"].as_str() {
                let bytes = STANDARD.decode(data).unwrap();
                assert_eq!(item["start"].as_u64().unwrap(), at as u64, "{session}");
                assert!(expected[at..].starts_with(&bytes), "{session} at {at}");
                at += bytes.len();
            } else if let Some(lagged) = item.get("lagged") {
                assert_eq!(lagged["from"].as_u64().unwrap(), at as u64);
                at = read_back(&mut client, session, expected, at, lagged);
                break;
            }
        }
        client.reader = None;
    }
}

/// Returns whether the disk has stalled and bytes are in no log; the record and the history must agree.
fn has_gaps(client: &mut Client, session: &str) -> bool {
    let session = json!({"session": session});
    let record = client.look("session.get", &session).unwrap();
    let history = client.look("session.history", &session).unwrap();
    let has_gaps = record["output"]["gaps"].is_array();
    let history = history.to_string();
    assert_eq!(
        has_gaps,
        history.contains("could not write logs to the disk")
    );
    has_gaps
}

/// Reads the output that a subscription has skipped.
fn read_back(
    client: &mut Client,
    session: &str,
    expected: &[u8],
    mut at: usize,
    lagged: &Value,
) -> usize {
    let to = usize::try_from(lagged["to"].as_u64().unwrap()).unwrap();
    client.reader = None;
    while at < to {
        let params = json!({"session": session, "since": at, "max_bytes": 1 << 20, "raw": true});
        let reply = client.look("session.read", &params).unwrap();
        assert_eq!(reply["start"], at, "{session} has gaps");
        let bytes = STANDARD.decode(reply["data_b64"].as_str().unwrap());
        let bytes = bytes.unwrap();
        assert!(expected[at..].starts_with(&bytes), "{session} at {at}");
        at += bytes.len();
    }
    at
}

/// Asks a program one question after another; if a question was not acknowledged, looks for it in the output.
fn ask(daemon: &Daemon, session: &str, is_over: &AtomicBool) -> u64 {
    let mut client = Client::new(daemon);
    let mut asked = 0;
    while !is_over.load(Ordering::Relaxed) {
        asked += 1;
        let question = json!({"session": session, "text": format!("q{asked}"), "newline": true});
        let answer = json!({"session": session, "from": 0, "patterns": [{"regex": format!("(?m)^a{asked}$")}]});
        match client.call("session.send", &question) {
            Reply::Done(_) => {}
            // If the question was typed, the terminal shows it.
            Reply::Lost | Reply::Refused(_) => {
                client.reader = None;
                let all = json!({"session": session, "since": 0});
                let shown = client.look("session.read", &all).unwrap();
                let shown = shown["text"].as_str().unwrap();
                if !shown.contains(&format!("q{asked}\n")) {
                    asked -= 1;
                    continue;
                }
            }
        }
        if let Err(error) = client.look("session.expect", &answer) {
            panic!("{session}, question {asked}: {error}");
        }
    }
    asked
}

/// Starts programs that exit at once, each with a different status, and asserts that this is reported.
fn start_and_end(daemon: &Daemon, number: usize, is_over: &AtomicBool) -> u64 {
    let mut client = Client::new(daemon);
    let mut started = 0;
    while !is_over.load(Ordering::Relaxed) {
        started += 1;
        let (id, status) = (format!("end-{number}-{started}"), started % 100);
        let script = format!("echo told {id}; exit {status}");
        let params = SessionCreateParams {
            id: Some(id.clone()),
            ..program(daemon, "sh", &["-c", &script])
        };
        let params = serde_json::to_value(&params).unwrap();
        // A start without a reply may or may not have been done; a request for the id shows which.
        loop {
            match client.call("session.create", &params) {
                Reply::Done(_) => break,
                Reply::Refused(error) => panic!("{error}"),
                Reply::Lost => {
                    if client.look("session.get", &json!({"session": id})).is_ok() {
                        break;
                    }
                }
            }
        }
        let exit = json!({"session": id, "for": "exit", "timeout_ms": 50_000});
        let ended = client.look("session.wait", &exit).unwrap();
        assert_eq!(ended["exitstatus"], json!(status), "{ended}");
        let read = client.look("session.read", &json!({"session": id, "since": 0}));
        assert_eq!(read.unwrap()["text"], format!("told {id}\n"));
    }
    started
}

/// Waits until a worker other than `pid` answers; returns its process id.
fn successor(client: &mut Client, pid: i64) -> i64 {
    eventually("another worker answers", || {
        let status = client.look("daemon.status", &json!({})).unwrap();
        let now = status["pid"].as_i64().unwrap();
        client.reader = None;
        (now != pid).then_some(now)
    })
}

/// Runs all kinds of sessions and clients, and calls `disturb` in each round with the process id of the worker; it
/// returns that of the next worker.
fn under_load(daemon: &Daemon, mut disturb: impl FnMut(u64, i64) -> i64) {
    let lines = rounds() * LINES_PER_ROUND;
    let expected = numbered(lines, "all of it");
    let open = |count: usize, script: &str| -> Vec<_> {
        let sessions = (0..count).map(|_| daemon.open("sh", &["-c", script]));
        sessions.collect()
    };
    let flood = format!("seq 1 {lines}; echo all of it; read go; exit 11");
    let floods = open(FLOODS, &flood);
    let asked = open(ASKERS, "while read line; do echo a${line#q}; done; exit 12");
    let sleepers = open(SLEEPERS, "read go; exit 13");
    let is_over = AtomicBool::new(false);
    let (answers, ends) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for session in &floods {
            scope.spawn(|| follow(daemon, session.id(), &expected));
        }
        for session in &asked {
            scope.spawn(|| {
                answers.fetch_add(ask(daemon, session.id(), &is_over), Ordering::Relaxed)
            });
        }
        for number in 0..ENDERS {
            let (ends, is_over) = (&ends, &is_over);
            scope.spawn(move || {
                ends.fetch_add(start_and_end(daemon, number, is_over), Ordering::Relaxed)
            });
        }
        let mut serving = i64::from(worker(daemon));
        for round in 0..rounds() {
            any_moment(round, Duration::from_millis(41));
            serving = disturb(round as u64, serving);
        }
        is_over.store(true, Ordering::Relaxed);
    });
    eprintln!("{answers:?} answers, {ends:?} ends");
    let mut client = Client::new(daemon);
    for session in &floods {
        if has_gaps(&mut client, session.id()) {
            eprintln!("the disk stalled: {:?}", session.now().output.gaps);
        } else {
            assert!(session.bytes() == expected, "{}", session.id());
        }
        session.line("go");
        assert_eq!(session.ended().exitstatus, Some(11));
    }
    for session in &sleepers {
        session.line("go");
        assert_eq!(session.ended().exitstatus, Some(13));
    }
    for session in &asked {
        session.keys(&["C-d"]);
        assert_eq!(session.ended().exitstatus, Some(12));
    }
}

/// Asserts that nothing is left of the sessions: no process, no ring, and no more descriptors than at the start.
fn assert_nothing_leaked(daemon: &Daemon, descriptors_before: usize) {
    daemon.ok("session.cleanup", &json!({"force": true}));
    let holder = daemon.pid();
    eventually("the holder has closed all terminals", || {
        (descriptors(holder) <= descriptors_before).then_some(())
    });
    let rings = daemon.home().join("run/ccd.sock.rings");
    assert_eq!(std::fs::read_dir(rings).unwrap().count(), 0);
    let home = format!("HOME={}", daemon.home().display());
    let daemons = [Some(holder), worker_of(holder)];
    let mut left = with_variable(&home);
    left.retain(|pid| !daemons.contains(&Some(*pid)));
    assert!(left.is_empty(), "{left:?}");
    let private = private_memory(holder);
    eprintln!("private memory of the holder: {} KiB", private / 1024);
    // About 3 MiB of it are addresses that the linker fills in; a release build has fewer.
    assert!(private <= 4 << 20);
}

fn daemon_for_load() -> Option<Daemon> {
    // Sessions sleep for longer than an ordinary one may when there are many rounds.
    let config = r#"{"max_output_size": 0, "session_timeout": 0}"#;
    let daemon = Daemon::builder().config(config).start();
    (!is_one_process(&daemon)).then_some(daemon)
}

#[test]
fn kills_of_the_worker_lose_nothing() {
    let Some(daemon) = daemon_for_load() else {
        return;
    };
    let before = descriptors(daemon.pid());
    let mut client = Client::new(&daemon);
    let mut longest = Duration::ZERO;
    under_load(&daemon, |_, worker| {
        let pid = Pid::from_raw(i32::try_from(worker).unwrap()).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
        let killed = Instant::now();
        let next = successor(&mut client, worker);
        longest = longest.max(killed.elapsed());
        assert!(!lives(pid.as_raw_nonzero().get()));
        next
    });
    eprintln!("a worker answered again within {longest:?}");
    assert_nothing_leaked(&daemon, before);
}

#[test]
fn upgrades_lose_nothing() {
    let Some(daemon) = daemon_for_load() else {
        return;
    };
    let before = descriptors(daemon.pid());
    let builds = [other_build(&daemon, "one"), other_build(&daemon, "two")];
    let mut client = Client::new(&daemon);
    let mut longest = Duration::ZERO;
    under_load(&daemon, |round, worker| {
        let asked = Instant::now();
        let binary = &builds[round as usize % 2];
        let reply = client.call("daemon.upgrade", &json!({"binary": binary}));
        assert!(matches!(reply, Reply::Done(_)), "{reply:?}");
        client.reader = None;
        let next = successor(&mut client, worker);
        longest = longest.max(asked.elapsed());
        next
    });
    eprintln!("an upgrade took {longest:?} at most");
    // The file of the serving build is kept open.
    assert_nothing_leaked(&daemon, before + 1);
}
