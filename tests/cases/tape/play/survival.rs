//! A replay, and a program that has taken over from one, continue when the worker is killed.

use crate::support::conversation::{
    ask, converse, ended, line, new_tape, output, record, root, send, start, tape, tapes,
};
use crate::support::files::assert_in_no_file;
use crate::support::taped::{Taped, assert_whole, exchange, tape_of};
use crate::support::worker::{is_one_process, kill_worker, replace_worker};
use crate::support::{
    Daemon, any_moment, assert_fields, assert_has, eventually, rounds, rounds_or,
};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Typed into an exchange whose input is hidden.
const HIDDEN: &str = "Hunter2-x9-played";

/// Number of chunks of the slow answer.
const PIECES: usize = 30;

fn piece(number: usize) -> String {
    format!("piece {number} of the slow answer\r\n")
}

/// Writes a tape with a slow answer, a line to be typed key by key, a hidden line, and an end.
fn write_tape(root: &Path) {
    let pieces: Vec<String> = (0..PIECES).map(piece).collect();
    let pieces = pieces.iter().enumerate();
    let pieces = pieces.map(|(number, piece)| (20 + number as u64 % 4 * 10, piece.as_str()));
    let go: Vec<(u64, &str)> = [(0, "go\r\n")]
        .into_iter()
        .chain(pieces)
        .chain([(0, "> ")])
        .collect();
    let mut exchanges = [
        exchange("", "raw", "", &[(0, "hello\r\n> ")]),
        exchange("> ", "line", "go", &go),
        exchange("> ", "line", "halves", &[(0, "halves\r\nPassword: ")]),
        exchange("Password: ", "line", "***", &[(20, "\r\nlength\r\n> ")]),
        exchange("> ", "line", "bye", &[(0, "bye\r\n")]),
    ];
    exchanges[3]["pre"]["hidden"] = json!(true);
    exchanges[4]["exit"] = json!({"code": 6, "signal": null});
    std::fs::create_dir_all(root).unwrap();
    let path = root.join("by-hand.json5");
    std::fs::write(path, tape_of("paced", &exchanges)).unwrap();
}

/// Returns all output of the tape.
fn expected() -> String {
    let pieces: String = (0..PIECES).map(piece).collect();
    format!("hello\r\n> go\r\n{pieces}> halves\r\nPassword: \r\nlength\r\n> bye\r\n")
}

/// Changes the worker: by a kill, or by a handover as in an upgrade.
fn change_worker(daemon: &Daemon, round: usize) {
    if round % 3 < 2 {
        kill_worker(daemon);
    } else {
        replace_worker(daemon);
    }
}

#[test]
fn a_replay_goes_on_through_kills_of_the_worker() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let root = root(&daemon);
    write_tape(&root);
    for round in 0..rounds_or(4) {
        let session = start(&daemon, &["paced"], &tape(&root, json!({}))).unwrap();
        ask(&daemon, &session, (None, "> $")).unwrap();
        send(&daemon, &session, "go\r");
        for kill in 0..=round % 2 {
            any_moment(round + kill, Duration::from_millis(1000));
            change_worker(&daemon, round);
        }
        ask(&daemon, &session, (None, "piece 29.*\\s+> $")).unwrap();
        send(&daemon, &session, "hal");
        change_worker(&daemon, round + 1);
        send(&daemon, &session, "ves");
        any_moment(round, Duration::from_millis(4));
        change_worker(&daemon, round);
        send(&daemon, &session, "\r");
        any_moment(round, Duration::from_millis(7));
        change_worker(&daemon, round + 2);
        ask(&daemon, &session, (None, "Password: $")).unwrap();
        let waiting = eventually("the tape waits", || {
            Some(record(&daemon, &session))
                .filter(|record| record["waiting_for_input"]["verdict"] == "blocked")
        });
        assert_eq!(waiting["waiting_for_input"]["hidden"], true, "{waiting}");
        assert_eq!(send(&daemon, &session, "Hunter2")["hidden"], true);
        change_worker(&daemon, round);
        assert_eq!(send(&daemon, &session, "-x9-played\r")["hidden"], true);
        any_moment(round, Duration::from_millis(30));
        change_worker(&daemon, round);
        ask(&daemon, &session, (None, "length\\s+> $")).unwrap();
        send(&daemon, &session, "bye\r");
        any_moment(round, Duration::from_millis(5));
        change_worker(&daemon, round);
        let ended = ended(&daemon, &session);
        let tape = json!({"misses": 0, "hits": 5});
        assert_fields(&ended, json!({"exitstatus": 6, "tape": tape}));
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
    let root = root(&daemon);
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
            send(&daemon, session, "go\r");
        }
        ask(&daemon, session, (None, "piece 29.*\\s+> $")).unwrap();
        ask(&daemon, session, (Some("halves"), "Password: $")).unwrap();
        send(&daemon, session, "x\r");
        ask(&daemon, session, (Some("bye"), "bye\n")).unwrap();
        ended(&daemon, session);
        let shown = String::from_utf8(output(&daemon, session)).unwrap();
        assert_eq!(shown, expected());
    }
}

#[test]
fn the_program_that_took_over_from_a_tape_outlives_the_worker_and_is_recorded() {
    let mut daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let command = ["bash", "--norc"];
    let steps = [(None, "ready> $"), (Some("x=40"), "ready> $")];
    for round in 0..rounds() {
        let root = daemon.home().join(format!("t{round}"));
        let new = new_tape(&root);
        converse(&daemon, &command, &new, &steps, "exit 1");
        let proxy = tape(&root, json!({"record": "new", "fallback": "proxy"}));
        let session = start(&daemon, &command, &proxy).unwrap();
        for step in steps {
            ask(&daemon, &session, step).unwrap();
        }
        for added in 0..3 {
            let typed = format!("echo $((x += 1)) of {round}");
            let seen = format!("{} of {round}\\s+.*ready> $", 41 + added);
            ask(&daemon, &session, (Some(&typed), &seen)).unwrap();
            if added > 0 {
                change_worker(&daemon, round);
            }
        }
        if round % 2 == 0 {
            line(&daemon, &session, "exit 9");
            assert_eq!(ended(&daemon, &session)["exitstatus"], 9);
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
        let mut lines = vec![format!("echo $((x += 1)) of {round}\n"); 3];
        if round % 2 == 0 {
            lines.push("exit 9\n".into());
            assert!(live.exit.contains("code: 9"), "{live:?}");
        }
        assert_eq!(live.inputs, lines);
        assert!(shown.ends_with(&live.output), "{round}: {live:?}");
        let text = String::from_utf8(live.output.clone()).unwrap();
        assert_has(&text, ["41 of", "43 of"]);
    }
}
