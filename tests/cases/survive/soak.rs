//! Many sessions and many clients for a while, of which nothing is left in the end.

use crate::support::{Connection, Daemon, eventually, kind, processes, rounds};
use serde_json::{Value, json};
use std::fs;

const SESSIONS: usize = 200;
const CLIENTS: usize = 64;

/// Threads for disk work that tokio keeps for a while after the work is done.
const SPARE_THREADS: usize = 16;

/// A pseudo-random generator; the same seed yields the same numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}

/// One client's work. Others may close its session at any time; everything else must work.
struct Client {
    connection: Connection,
    random: Random,
    number: usize,
    done: usize,
}

impl Client {
    fn work(&mut self, rounds: usize) {
        for _ in 0..rounds * 3 {
            let session = format!("soak-{}", self.random.below(SESSIONS));
            match self.random.below(10) {
                0..=4 => self.talk(&session),
                5..=6 => self.read(&session),
                7 => self.follow(&session),
                8 => self.give_up(&session),
                _ => self.replace(&session),
            }
            self.done += 1;
        }
    }

    /// Makes a call; another client may have ended its session.
    fn call(&mut self, method: &str, params: &Value) -> Option<Value> {
        match self.connection.call_value(method, params) {
            Ok(reply) => Some(reply),
            Err(error) => {
                let ended = ["session_not_alive", "process_ended", "session_not_found"];
                assert!(ended.contains(&kind(&error)), "{method}: {error}");
                None
            }
        }
    }

    fn talk(&mut self, session: &str) {
        let word = format!("word-{}-{}", self.number, self.done);
        let expect = json!({"patterns": [{"exact": word}], "timeout_ms": 60_000});
        let send = json!({"session": session, "text": word, "newline": true, "expect": expect});
        if let Some(reply) = self.call("session.send", &send) {
            assert_eq!(reply["expect"]["matched"], word);
        }
    }

    fn read(&mut self, session: &str) {
        let params = json!({"session": session, "lines": self.random.below(50) + 1});
        if let Some(reply) = self.call("session.read", &params) {
            assert!(
                reply["text"].as_str().unwrap().lines().count() <= 50,
                "{reply}"
            );
        }
        let screen = self.call("session.screen", &json!({"session": session}));
        assert!(screen.is_none_or(|screen| screen["rows"] == 24));
    }

    fn follow(&mut self, session: &str) {
        let params = json!({"session": session, "since": 0});
        if let Some(id) = self.call("session.subscribe", &params) {
            self.call("session.unsubscribe", &json!([id]));
        }
        while self.connection.take_notification().is_some() {}
    }

    /// Disconnects without waiting for the reply to a call.
    fn give_up(&mut self, session: &str) {
        let params =
            json!({"session": session, "patterns": [{"exact": "never"}], "timeout_ms": null});
        self.connection.request("session.expect", &params);
        let path = self.connection.stream().peer_addr().unwrap();
        self.connection = Connection::open(path.as_pathname().unwrap());
    }

    /// Ends a session and starts another one with its id.
    fn replace(&mut self, session: &str) {
        self.call(
            "session.close",
            &json!({"session": session, "grace_ms": 5000}),
        );
        let create = json!({"program": "cat", "id": session, "persist": true});
        if let Err(error) = self.connection.call_value("session.create", &create) {
            assert_eq!(
                kind(&error),
                "session_conflict",
                "another client was quicker: {error}"
            );
        }
    }
}

#[test]
fn two_hundred_sessions_and_64_clients_leave_nothing() {
    let daemon = Daemon::builder().config("{max_sessions: 0}").start();
    let mut connection = daemon.connect();
    let mut call = |method: &str, params: Value| connection.ok(method, &params);
    // Creates everything that is created once and kept.
    let first = call("session.create", json!({"program": "true"}));
    let exit = json!({"session": first["session_id"], "for": "exit"});
    call("session.wait", exit);
    call("session.cleanup", json!({"force": true}));
    // The databases of the coach are opened by the first call, if they are not yet.
    call("coach.aggregate", json!({}));
    call("coach.status", json!({}));
    let used = || [processes::descriptors, processes::threads].map(|count| in_both(&daemon, count));
    let [descriptors, threads] = used();

    for number in 0..SESSIONS {
        let create = json!({"program": "cat", "id": format!("soak-{number}"), "persist": true});
        call("session.create", create);
    }
    let status = call("daemon.status", json!({}));
    assert_eq!(status["sessions"]["live"], SESSIONS);
    std::thread::scope(|scope| {
        for number in 0..CLIENTS {
            let mut client = Client {
                connection: daemon.connect(),
                random: Random(0x9e37_79b9_7f4a_7c15 ^ (number as u64 + 1)),
                number,
                done: 0,
            };
            scope.spawn(move || client.work(rounds()));
        }
    });

    call("session.cleanup", json!({"force": true}));
    let status = call("daemon.status", json!({}));
    assert_eq!(status["sessions"], json!({"live": 0, "ended": 0, "max": 0}));
    assert_eq!(
        (&status["last_errors"], &status["drops"]),
        (&json!([]), &json!({})),
        "{status}"
    );
    eventually("everything is written", || {
        let status = call("daemon.status", json!({}));
        let nothing = json!({"interactions": 0, "database": 0, "hook_bytes": 0});
        (status["queues"] == nothing && status["connections"] == 1).then_some(())
    });
    for number in 0..SESSIONS {
        let left = processes::with_variable(&format!("CCD_SESSION_ID=soak-{number}"));
        assert_eq!(left, [0; 0], "soak-{number}");
    }
    for folder in ["sessions", "run/ccd.sock.rings"] {
        let left: Vec<_> = fs::read_dir(daemon.home().join(folder)).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
    eventually("descriptors and threads are as before", || {
        let now = used();
        (now[0] <= descriptors + 2 && now[1] <= threads + SPARE_THREADS).then_some(())
    });
}

/// Returns a count for both processes of the daemon together.
fn in_both(daemon: &Daemon, count: fn(i32) -> usize) -> usize {
    let worker = processes::worker_of(daemon.pid());
    count(daemon.pid()) + worker.map_or(0, count)
}
