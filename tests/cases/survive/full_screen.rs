//! Full-screen programs: what they show outlives the worker, and goes on.

use crate::support::session::{OpenSession, lacks, program};
use crate::support::worker::{hand_over, is_one_process, kill_worker};
use crate::support::{Daemon, eventually, rounds};
use ccd_protocol::session::SessionCreateParams;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

const LINES: usize = 2_000;

/// Writes a source file with numbered lines, some of them wide.
fn source(daemon: &Daemon) -> PathBuf {
    let mut text = String::new();
    for line in 1..=LINES {
        writeln!(
            text,
            "int line_{line} = {line}; /* \"世界\" {} */",
            "·".repeat(line % 40)
        )
        .unwrap();
    }
    let file = daemon.home().join("source.c");
    fs::write(&file, text).unwrap();
    file
}

fn vim<'a>(daemon: &'a Daemon, file: &str) -> OpenSession<'a> {
    let look = "set number nowrap termguicolors background=dark";
    let arguments = [
        "-u",
        "NONE",
        "-i",
        "NONE",
        "-n",
        "-c",
        look,
        "-c",
        "syntax on",
        "-c",
        "colorscheme habamax",
        file,
    ];
    daemon.open_with(&SessionCreateParams {
        rows: Some(30),
        cols: Some(100),
        ..program(daemon, "vim", &arguments)
    })
}

/// Returns all that is shown.
fn shown(session: &OpenSession<'_>, daemon: &Daemon) -> Value {
    let params = json!({"session": session.id(), "format": "cells"});
    let mut reply = daemon.call_value("session.screen", &params).unwrap();
    let fields = reply.as_object_mut().unwrap();
    fields.retain(|name, _| {
        ["cells", "cursor", "alternate", "title", "mouse"].contains(&name.as_str())
    });
    reply
}

fn type_keys(session: &OpenSession<'_>, daemon: &Daemon, keys: &str) {
    let params = json!({"session": session.id(), "text": keys, "newline": false});
    daemon.call_value("session.send", &params).unwrap();
}

/// Waits until the program has done what it was told; returns what it shows then.
fn settled(session: &OpenSession<'_>, daemon: &Daemon, text: &str) -> Value {
    eventually(&format!("{text:?} is shown"), || {
        let wait = json!({"session": session.id(), "for": "input", "timeout_ms": 10_000});
        daemon.call_value("session.wait", &wait).unwrap();
        let shown = shown(session, daemon);
        shown["cells"].to_string().contains(text).then_some(shown)
    })
}

/// Takes the worker away: in turn it is killed, and replaced by order.
fn lose_worker(daemon: &Daemon, round: usize) {
    if round.is_multiple_of(2) {
        kill_worker(daemon);
    } else {
        daemon.call_value("daemon.restart", &json!({})).unwrap();
    }
    hand_over(daemon, round as u64 + 1);
}

#[test]
fn vim_and_less_show_the_same_after_each_loss_of_the_worker_and_go_on() {
    let daemon = Daemon::builder().config("{max_sessions: 0}").start();
    if is_one_process(&daemon) || lacks(&["vim", "less"]) {
        return;
    }
    let file = source(&daemon);
    let file = file.to_str().unwrap();
    let vim = vim(&daemon, file);
    let less = daemon.open("less", &["-N", file]);
    let (mut of_vim, mut of_less) = (
        settled(&vim, &daemon, "line_1 "),
        settled(&less, &daemon, "line_1 "),
    );
    for round in 0..rounds() {
        lose_worker(&daemon, round);
        assert_eq!(shown(&vim, &daemon), of_vim, "round {round}");
        assert_eq!(shown(&less, &daemon), of_less, "round {round}");
        // Both draw only what changes; C-l makes them draw all, which must be no different.
        let line = round * 7919 % (LINES - 100) + 1;
        type_keys(&vim, &daemon, &format!("{line}Gzt"));
        type_keys(&less, &daemon, &format!("{line}g"));
        for session in [&vim, &less] {
            let drawn = settled(session, &daemon, &format!("line_{line} "));
            type_keys(session, &daemon, "\u{c}");
            let again = eventually("it is drawn again", || {
                let again = settled(session, &daemon, &format!("line_{line} "));
                (again == drawn).then_some(again)
            });
            if session.id() == vim.id() {
                of_vim = again;
            } else {
                of_less = again;
            }
        }
    }
}
