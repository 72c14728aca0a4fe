//! Each finding has a tape of its own, which plays it again, and by which the real program breaks again.

use super::super::MOCK_TARGET;
use super::runs::finding_list;
use crate::support::conversation::{ask, ended, record, start};
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::{Value, json};
use std::path::Path;

/// A finding, and where its tape is.
struct OnTape<'a> {
    daemon: &'a Daemon,
    kind: &'a str,
    input: &'a str,
    root: &'a Path,
    id: String,
}

impl<'a> OnTape<'a> {
    fn of(daemon: &'a Daemon, finding: &'a Value) -> Self {
        let tape = Path::new(finding["tape"].as_str().unwrap());
        let root = tape.ancestors().nth(2).unwrap();
        let id = tape.strip_prefix(root).unwrap().with_extension("");
        Self {
            daemon,
            kind: finding["kind"].as_str().unwrap(),
            input: finding["input"].as_str().unwrap(),
            root,
            id: id.to_str().unwrap().to_owned(),
        }
    }

    fn recorded_bytes(&self) -> u64 {
        let get = json!({"root": self.root, "tape": self.id});
        let tape = self.daemon.ok("tape.get", &get);
        assert!(tape["begins_in_middle"] != true, "{}", tape["meta"]);
        let exchanges = tape["exchanges"].as_array().unwrap().iter();
        let bytes = exchanges.map(|exchange| exchange["output_bytes"].as_u64().unwrap());
        bytes.sum()
    }

    /// Types the input on the tape; returns the start of the output, and the signal that ended it.
    fn played(&self, bytes: u64) -> (String, Option<i64>) {
        let options = json!({"root": self.root, "latency": 0});
        let session = start(self.daemon, &[MOCK_TARGET], &options).unwrap();
        ask(self.daemon, &session, (None, "main> $")).unwrap();
        let line = json!({"session": session, "text": self.input, "newline": true});
        self.daemon.ok("session.send", &line);
        let signal = match self.kind {
            "crash" => ended(self.daemon, &session)["signal"].as_i64(),
            _ => None,
        };
        let played = eventually("all of the tape is played", || {
            let record = record(self.daemon, &session);
            (record["output"]["output_bytes"].as_u64() >= Some(bytes)).then_some(record)
        });
        assert_eq!(played["tape"]["misses"], 0, "{played}");
        let is_crash = self.kind == "crash";
        let state = if is_crash { "dead" } else { "alive" };
        assert_eq!(played["state"], state, "{played}");
        // A flood is long.
        let start = json!({"session": session, "since": 0, "max_bytes": 100_000});
        let read = self.daemon.ok("session.read", &start);
        let output = read["text"].as_str().unwrap().to_owned();
        if !is_crash {
            let close = json!({"session": session, "grace_ms": 0});
            self.daemon.ok("session.close", &close);
        }
        (output, signal)
    }

    /// Types the input in the real program, and asserts that it breaks in the same way.
    fn breaks_again(&self) {
        let mut connection = self.daemon.connect();
        if self.kind == "flood" {
            // How much was recorded of it is chance.
            let session = self.daemon.open(MOCK_TARGET, &[]);
            session.expect("main> $");
            session.line(self.input);
            eventually("a flood", || {
                (session.now().output.output_bytes > 1 << 20).then_some(())
            });
            session.close_within(0.0);
            return;
        }
        // The directory in which it was recorded is gone.
        let params = json!({"root": self.root, "tape": self.id, "cwd": self.daemon.home()});
        let started = connection.ok("tape.verify", &params);
        let wait = json!({"job": started["job"], "wait_ms": 20_000});
        let job = connection.ok("job.get", &wait);
        assert_eq!(job["result"]["same"], true, "{job}");
    }
}

#[test]
fn each_finding_is_replayed_twice_from_its_tape_and_breaks_the_program_again() {
    let daemon = Daemon::with_config("{ testing: { fuzz_inputs: 1, timeout: 600 } }");
    let test = ["test", "--json", "--types", "fuzz", MOCK_TARGET];
    let ran = Ccctl::new(&daemon).run(&test);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let findings = finding_list(&report, "fuzz");
    let mut kinds: Vec<_> = findings.iter().map(|found| &found["kind"]).collect();
    kinds.sort_by_key(|kind| kind.as_str());
    assert_eq!(kinds, ["crash", "flood", "hang"], "{report}");
    for finding in findings {
        let tape = OnTape::of(&daemon, finding);
        let bytes = tape.recorded_bytes();
        let first = tape.played(bytes);
        assert_eq!(first.1, (tape.kind == "crash").then_some(11));
        let text = format!("main> {}", tape.input);
        assert!(first.0.contains(&text), "{}", first.0);
        assert!(tape.played(bytes) == first, "{} differs", tape.kind);
        tape.breaks_again();
    }
}
