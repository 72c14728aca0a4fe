//! A replay, and a program that has taken over from one, continue when the worker is killed.

use crate::support::conversation::{ask, converse, ended, output, record, start, tape, tapes};
use crate::support::files::assert_in_no_file;
use crate::support::session::lacks;
use crate::support::taped::{Taped, assert_whole};
use crate::support::worker::{is_one_process, kill_worker, worker};
use crate::support::{Daemon, any_moment, eventually, rounds, rounds_or};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Typed into an exchange whose input is hidden.
const HIDDEN: &str = "Hunter2-x9-played";

/// Number of chunks of the slow answer.
const PIECES: usize = 30;

fn piece(number: usize) -> String {
    format!("piece {number} of the slow answer\\r\\n")
}

/// Writes a tape with a slow answer, a line to be typed key by key, a hidden line, and an end.
fn write_tape(root: &Path) {
    std::fs::create_dir_all(root.join("paced")).unwrap();
    let chunks: String = (0..PIECES)
        .map(|number| {
            let delay = 20 + number % 4 * 10;
            format!(
                "{{ delay_ms: {delay}, dataText: \"{}\" }},\n",
                piece(number)
            )
        })
        .collect();
    let text = format!(
        r#"{{
  meta: {{ program: "paced", args: [], env: {{}}, cwd: "/" }},
  session: {{ format: 1 }},
  exchanges: [
    {{ pre: {{ prompt: "" }}, input: {{ type: "raw", dataText: "" }}, output: {{ chunks: [{{ dataText: "hello\r\n> " }}] }} }},
    {{ pre: {{ prompt: "> " }}, input: {{ type: "line", dataText: "go" }}, output: {{ chunks: [
      {{ dataText: "go\r\n" }}, {chunks} {{ dataText: "> " }} ] }} }},
    {{ pre: {{ prompt: "> " }}, input: {{ type: "line", dataText: "halves" }}, output: {{ chunks: [
      {{ dataText: "halves\r\nPassword: " }} ] }} }},
    {{ pre: {{ prompt: "Password: ", hidden: true }}, input: {{ type: "line", dataText: "***" }}, output: {{ chunks: [
      {{ delay_ms: 20, dataText: "\r\nlength\r\n> " }} ] }} }},
    {{ pre: {{ prompt: "> " }}, input: {{ type: "line", dataText: "bye" }}, output: {{ chunks: [
      {{ dataText: "bye\r\n" }} ] }}, exit: {{ code: 6, signal: null }} }},
  ],
}}"#
    );
    std::fs::write(root.join("paced/by-hand.json5"), text).unwrap();
}

/// Returns all output of the tape.
fn expected() -> String {
    let pieces: String = (0..PIECES).map(piece).collect();
    let text = format!(
        "hello\\r\\n> go\\r\\n{pieces}> halves\\r\\nPassword: \\r\\nlength\\r\\n> bye\\r\\n"
    );
    text.replace("\\r\\n", "\r\n")
}

/// Changes the worker: by a kill, or by a handover as in an upgrade.
fn change_worker(daemon: &Daemon, round: usize) {
    if round % 3 < 2 {
        return kill_worker(daemon);
    }
    let before = worker(daemon);
    let _ = daemon.try_call_value("daemon.restart", &json!({}));
    eventually("another worker answers", || {
        (worker(daemon) != before).then_some(())
    });
}

fn types(daemon: &Daemon, session: &str, text: &str) -> Value {
    let params = json!({"session": session, "text": text});
    daemon.call_value("session.send", &params).unwrap()
}

#[test]
fn a_replay_goes_on_through_kills_of_the_worker() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let root = daemon.home().join("t");
    write_tape(&root);
    for round in 0..rounds_or(4) {
        let session = start(&daemon, &["paced"], &tape(&root, json!({}))).unwrap();
        ask(&daemon, &session, (None, "> $")).unwrap();
        types(&daemon, &session, "go\r");
        for kill in 0..=round % 2 {
            any_moment(round + kill, Duration::from_millis(1000));
            change_worker(&daemon, round);
        }
        ask(&daemon, &session, (None, "piece 29.*\\s+> $")).unwrap();
        types(&daemon, &session, "hal");
        change_worker(&daemon, round + 1);
        types(&daemon, &session, "ves");
        any_moment(round, Duration::from_millis(4));
        change_worker(&daemon, round);
        types(&daemon, &session, "\r");
        any_moment(round, Duration::from_millis(7));
        change_worker(&daemon, round + 2);
        ask(&daemon, &session, (None, "Password: $")).unwrap();
        let waiting = eventually("the tape waits", || {
            Some(record(&daemon, &session))
                .filter(|record| record["waiting_for_input"]["verdict"] == "blocked")
        });
        assert_eq!(waiting["waiting_for_input"]["hidden"], true, "{waiting}");
        assert_eq!(types(&daemon, &session, "Hunter2")["hidden"], true);
        change_worker(&daemon, round);
        assert_eq!(types(&daemon, &session, "-x9-played\r")["hidden"], true);
        any_moment(round, Duration::from_millis(30));
        change_worker(&daemon, round);
        ask(&daemon, &session, (None, "length\\s+> $")).unwrap();
        types(&daemon, &session, "bye\r");
        any_moment(round, Duration::from_millis(5));
        change_worker(&daemon, round);
        let ended = ended(&daemon, &session);
        assert_eq!(ended["exitstatus"], 6, "{ended}");
        assert_eq!(ended["tape"]["misses"], 0, "{ended}");
        assert_eq!(ended["tape"]["hits"], 5, "{ended}");
        let shown = String::from_utf8(output(&daemon, &session)).unwrap();
        assert_eq!(shown, expected(), "{round}");
    }
    assert_in_no_file(daemon.home(), HIDDEN);
}

/// An input that was not acknowledged may have been typed or not, but its answer is complete.
#[test]
fn an_answer_is_whole_whenever_the_kill_comes() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let root = daemon.home().join("t");
    write_tape(&root);
    let sessions: Vec<String> = (0..rounds().min(20))
        .map(|_| start(&daemon, &["paced"], &tape(&root, json!({"latency": 1}))).unwrap())
        .collect();
    for session in &sessions {
        ask(&daemon, session, (None, "> $")).unwrap();
    }
    std::thread::scope(|scope| {
        for (number, session) in sessions.iter().enumerate() {
            let daemon = &daemon;
            scope.spawn(move || {
                any_moment(number, Duration::from_millis(12));
                let params = json!({"session": session, "text": "go\r"});
                daemon.try_call_value("session.send", &params);
            });
        }
        any_moment(1, Duration::from_millis(10));
        kill_worker(&daemon);
    });
    for session in &sessions {
        let is_taken = record(&daemon, session)["tape"]["hits"] == 2;
        if !is_taken {
            types(&daemon, session, "go\r");
        }
        ask(&daemon, session, (None, "piece 29.*\\s+> $")).unwrap();
        ask(&daemon, session, (Some("halves"), "Password: $")).unwrap();
        types(&daemon, session, "x\r");
        ask(&daemon, session, (Some("bye"), "bye\n")).unwrap();
        ended(&daemon, session);
        let shown = String::from_utf8(output(&daemon, session)).unwrap();
        assert_eq!(shown, expected());
    }
}

#[test]
fn the_program_that_took_over_from_a_tape_outlives_the_worker_and_is_recorded() {
    if lacks(&["bash"]) {
        return;
    }
    let mut daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let command = ["bash", "--norc"];
    let steps = [(None, "ready> $"), (Some("x=40"), "ready> $")];
    for round in 0..rounds() {
        let root = daemon.home().join(format!("t{round}"));
        let new = tape(&root, json!({"record": "new"}));
        converse(&daemon, &command, &new, &steps, "exit 1");
        let proxy = tape(&root, json!({"record": "new", "fallback": "proxy"}));
        let session = start(&daemon, &command, &proxy).unwrap();
        for step in steps {
            ask(&daemon, &session, step).unwrap();
        }
        for added in 0..3 {
            let line = format!("echo $((x += 1)) of {round}");
            let seen = format!("{} of {round}\\s+.*ready> $", 41 + added);
            ask(&daemon, &session, (Some(&line), &seen)).unwrap();
            if added > 0 {
                change_worker(&daemon, round);
            }
        }
        let line = json!({"session": session, "text": "exit 9", "newline": true});
        if round % 2 == 0 {
            daemon.call_value("session.send", &line).unwrap();
            let ended = ended(&daemon, &session);
            assert_eq!(ended["exitstatus"], 9, "{ended}");
        } else {
            daemon.kill();
            daemon.restart();
        }
        assert_whole(&daemon, &root);
        let shown = output(&daemon, &session);
        let mut taped: Vec<Taped> = tapes(&root).iter().map(|path| Taped::read(path)).collect();
        assert_eq!(taped.len(), 2);
        taped.sort_by_key(|taped| taped.inputs[0].is_empty());
        let live = &taped[0];
        let line = format!("echo $((x += 1)) of {round}\n");
        let mut lines = vec![line; 3];
        if round % 2 == 0 {
            lines.push("exit 9\n".into());
            assert!(live.exit.contains("code: 9"), "{live:?}");
        }
        assert_eq!(live.inputs, lines);
        assert!(shown.ends_with(&live.output), "{round}: {live:?}");
        let text = String::from_utf8(live.output.clone()).unwrap();
        assert!(text.contains("41 of") && text.contains("43 of"), "{text}");
    }
}
