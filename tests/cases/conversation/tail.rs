//! `ccctl conversation tail`.

use super::library::{Library, assistant, call, result, user};
use crate::support::Ccctl;
use crate::support::worker::{is_one_process, kill_worker};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ChildStdout, Stdio};

const ONE: &str = "11111111-0000-4000-8000-000000000000";

/// A client that follows.
struct Tail {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Tail {
    fn start(library: &Library, args: &[&str]) -> Self {
        let mut command =
            Ccctl::new(&library.daemon).command(&[&["conversation", "tail"], args].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // A script starts what it runs in the background with this signal ignored, and so may these tests have been.
        let interruptible = || {
            // SAFETY: signal is a plain system call and allocates nothing.
            unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
            Ok(())
        };
        // SAFETY: as above.
        unsafe { command.pre_exec(interruptible) };
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// Returns what is printed up to a line that contains `last`.
    fn until(&mut self, last: &str) -> String {
        let mut text = String::new();
        loop {
            let start = text.len();
            let count = self.lines.read_line(&mut text).unwrap();
            assert!(count > 0, "{last:?} is not in {text}");
            if text[start..].contains(last) {
                return text;
            }
        }
    }

    /// Waits for the end; returns what else was printed, with the exit code, else the signal.
    fn end(mut self) -> (String, i32) {
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut rest)
            .unwrap();
        let status = self.child.wait().unwrap();
        (rest, status.code().or(status.signal()).unwrap())
    }
}

#[test]
fn turns_calls_and_sub_agents_are_shown_as_they_come() {
    let library = Library::new();
    let path = library.path(ONE);
    library.write(&path, &[user(ONE, "u1", "Build it")]);
    let mut tail = Tail::start(&library, &[ONE]);
    assert!(
        tail.until("Build it")
            .contains("\nuser  2026-03-01 08:00:02\n")
    );
    let append = |line: String| library.add(&path, line);
    append(assistant(ONE, "u2", "m2", "I build\u{1b}[2J it.", 3));
    append(call(ONE, "u3", "t1", "Bash", json!({"command": "make"})));
    assert!(tail.until("make").contains("I build it.\n• Bash make\n"));
    let look = json!({"description": "look around"});
    append(call(ONE, "u4", "t2", "Agent", look));
    let failed = json!("Error: 1");
    append(result(ONE, "u5", "t1", "cc: no such file", failed));
    assert_eq!(
        tail.until("no such file"),
        "• Agent look around\n• Bash make\n    cc: no such file\n"
    );
    let agent = assistant(ONE, "s1", "ms1", "Looking.", 3);
    library.write_agent(ONE, "a1", "t2", &[agent]);
    let text = tail.until("Looking.");
    assert!(
        text.starts_with("  │\n  │ sub-agent: look around\n  │\n  │ assistant  "),
        "{text}"
    );
    assert!(text.ends_with("  │ Looking.\n"), "{text}");
    let report = json!({"status": "completed", "totalTokens": 9});
    append(result(ONE, "u6", "t2", "found", report));
    assert_eq!(
        tail.until("found"),
        "• Agent look around  (completed, 9 tokens)\n    found\n"
    );
    fs::remove_file(&path).unwrap();
    let (rest, code) = tail.end();
    assert_eq!((rest.as_str(), code), ("\nthe transcript was deleted\n", 0));
}

#[test]
fn as_json_each_item_is_a_line_and_ctrl_c_ends_it() {
    let library = Library::new();
    let path = library.path(ONE);
    library.write(&path, &[user(ONE, "u1", "Build it")]);
    let mut tail = Tail::start(&library, &["--project", "/srv/shop", "--json"]);
    let mut kinds = Vec::new();
    while kinds.last().is_none_or(|kind| kind != "usage") {
        let item: Value = serde_json::from_str(&tail.until("\n")).unwrap();
        if kinds.is_empty() {
            let line = assistant(ONE, "u2", "m2", "Yes.", 3);
            library.add(&path, line);
        }
        kinds.push(item["kind"].as_str().unwrap().to_owned());
    }
    assert_eq!(kinds, ["record", "turn", "record", "turn", "usage"]);
    let pid = Pid::from_raw(tail.child.id().cast_signed()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    assert_eq!(tail.end(), (String::new(), Signal::INT.as_raw()));
}

#[test]
fn after_a_restart_and_the_death_of_the_worker_it_goes_on_and_after_the_daemons_it_says_that_there_is_none()
 {
    let mut library = Library::new();
    let path = library.path(ONE);
    library.write(&path, &[user(ONE, "u1", "one")]);
    let mut tail = Tail::start(&library, &[ONE]);
    tail.until("one");
    library.call("daemon.restart", json!({}));
    library.add(&path, user(ONE, "u2", "two"));
    assert!(!tail.until("two").contains("one"));
    if is_one_process(&library.daemon) {
        tail.child.kill().unwrap();
        tail.child.wait().unwrap();
        return;
    }
    kill_worker(&library.daemon);
    library.add(&path, user(ONE, "u3", "three"));
    assert!(!tail.until("three").contains("two"));
    library.daemon.kill_holder();
    let (rest, code) = tail.end();
    assert!(rest.contains("no daemon is running"), "{rest}");
    assert_eq!(code, 3);
}
