//! Full-screen programs: what they show outlives the worker, and goes on.

use crate::support::session::{OpenSession, lacks, program};
use crate::support::worker::{hand_over, is_one_process, kill_worker};
use crate::support::{Daemon, eventually, rounds};
use ccd_protocol::session::{SessionCreateParams, WaitFor};
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
    let mut arguments = vec!["-u", "NONE", "-i", "NONE", "-n"];
    for command in [look, "syntax on", "colorscheme habamax"] {
        arguments.extend(["-c", command]);
    }
    arguments.push(file);
    daemon.open_with(&SessionCreateParams {
        rows: Some(30),
        cols: Some(100),
        ..program(daemon, "vim", &arguments)
    })
}

/// Returns all that is shown.
fn shown(session: &OpenSession<'_>) -> Value {
    let params = json!({"session": session.id(), "format": "cells"});
    let reply = session.daemon.call_value("session.screen", &params);
    let mut reply = reply.unwrap();
    let fields = reply.as_object_mut().unwrap();
    let compared = ["cells", "cursor", "alternate", "title", "mouse"];
    fields.retain(|name, _| compared.contains(&name.as_str()));
    reply
}

/// Waits until the program has done what it was told; returns what it shows then.
fn settled(session: &OpenSession<'_>, text: &str) -> Value {
    eventually(&format!("{text:?} is shown"), || {
        session.wait(WaitFor::Input);
        let shown = shown(session);
        shown["cells"].to_string().contains(text).then_some(shown)
    })
}

/// Takes the worker away: in turn it is killed, and replaced by order.
fn lose_worker(daemon: &Daemon, round: usize) {
    if round.is_multiple_of(2) {
        kill_worker(daemon);
    } else {
        daemon.ok("daemon.restart", &json!({}));
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
    let programs = [vim(&daemon, file), daemon.open("less", &["-N", file])];
    let mut last = programs
        .each_ref()
        .map(|session| settled(session, "line_1 "));
    for round in 0..rounds() {
        lose_worker(&daemon, round);
        assert_eq!(programs.each_ref().map(shown), last, "round {round}");
        // Both draw only what changes; C-l makes them draw all, which must be no different.
        let line = round * 7919 % (LINES - 100) + 1;
        programs[0].text(&format!("{line}Gzt"));
        programs[1].text(&format!("{line}g"));
        last = programs.each_ref().map(|session| {
            let drawn = settled(session, &format!("line_{line} "));
            session.text("\u{c}");
            eventually("it is drawn again", || {
                let again = settled(session, &format!("line_{line} "));
                (again == drawn).then_some(again)
            })
        });
    }
}
