//! `ccctl top` on the terminals of sessions.

use super::{every_way_out, modes, named, shell, walk};
use crate::support::client::CCCTL;
use crate::support::session::{OpenSession, lacks, program};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::session::SessionCreateParams;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

#[track_caller]
fn hides(session: &OpenSession<'_>, text: &str) {
    eventually(&format!("{text:?} is no longer shown"), || {
        let lines = session.screen().lines;
        lines.iter().all(|line| !line.contains(text)).then_some(())
    });
}

#[test]
fn sessions_come_and_go_while_top_shows_them_and_what_has_not_changed_is_not_drawn_again() {
    let daemon = Daemon::start();
    let cat = named(&daemon, "first", &["cat"]);
    let top = daemon.open_client(&["top", "--interval", "0.1"], (24, 100));
    top.shows("first");
    let lines = top.shows("ccctl top  2 live sessions");
    assert!(lines[1].starts_with("ID "), "{lines:?}");
    assert!(top.screen().alternate && !top.screen().cursor.visible);
    // Ages, the output of top itself, and whether it is waiting change; the heading does not.
    let end = usize::try_from(top.now().output.output_bytes).unwrap();
    eventually("top refreshes a few times", || {
        let text = String::from_utf8(top.bytes()).unwrap();
        let ages = text.matches("\x1b[4;1H").count();
        (ages > 3).then_some(())
    });
    let text = String::from_utf8(top.bytes()).unwrap();
    assert_eq!(text.matches("\x1b[2J").count(), 1);
    assert!(text[..end].contains("STATE") && !text[end..].contains("STATE"));
    let _second = named(&daemon, "second", &["cat", "-u"]);
    top.shows("cat -u");
    cat.close();
    hides(&top, "first");
    // It ends with its terminal.
    let closed = top.close();
    assert!(!closed.forced, "{closed:?}");
}

#[test]
fn keys_read_signal_and_close_sessions() {
    let daemon = Daemon::start();
    let script = "trap 'echo was told' USR1; echo ready; while :; do sleep 0.05; done";
    let told = named(&daemon, "told", &["sh", "-c", script]);
    told.expect("ready");
    let closed = named(&daemon, "closing", &["cat"]);
    let top = daemon.open_client(&["top", "--interval", "0.1"], (20, 90));
    top.shows("closing");
    walk(
        &top,
        &[("gsusr1", "signal told: USR1"), ("<Enter>", "sent USR1")],
    );
    told.expect("was told");
    top.text("r");
    let lines = top.shows("was told");
    assert!(lines[0].starts_with("told  1-"), "{lines:?}");
    walk(&top, &[("q", "closing"), ("p", "── told ──")]);
    top.shows("was told");
    top.keys(&["Down"]);
    walk(&top, &[("c", "close closing? y/n")]);
    top.text("y");
    closed.ended();
    top.shows("closed: ");
    hides(&top, "cat");
    walk(&top, &[("e", "closing")]);
    top.text("/told");
    hides(&top, "closing");
    walk(&top, &[("<Escape>", "closing"), ("s", "signal told: INT")]);
    top.keys(&["Escape"]);
    // A byte that follows an escape immediately would belong to the same key.
    hides(&top, "signal told: INT");
    top.text("q");
    assert_eq!(top.ended().exitstatus, Some(0));
    assert!(!top.screen().alternate);
}

#[test]
fn every_way_out_leaves_the_terminal_as_it_was() {
    if lacks(&["bash", "stty"]) {
        return;
    }
    let ways = [
        ("q", 0),
        ("<Escape>", 0),
        ("<C-c>", 0),
        ("<C-d>", 0),
        ("INT", 130),
        ("TERM", 143),
        ("HUP", 129),
        ("QUIT", 131),
        // From the help.
        ("?qq", 0),
    ];
    every_way_out("top", "ccctl top  1 live session", &ways);
}

#[test]
fn top_can_be_stopped_and_goes_on() {
    if lacks(&["bash", "stty"]) {
        return;
    }
    let daemon = Daemon::start();
    let (bash, before) = shell(&daemon);
    bash.line("\"$CCCTL\" top");
    bash.shows("ccctl top");
    bash.keys(&["C-z"]);
    bash.expect("Stopped");
    assert!(!bash.screen().alternate);
    assert_eq!(modes(&bash), before);
    bash.line("fg");
    eventually("it is drawn again", || {
        bash.screen().alternate.then_some(())
    });
    bash.shows("ccctl top");
    bash.text("q");
    eventually("top exits", || (!bash.screen().alternate).then_some(()));
    bash.ask("echo left with $?", "(?m)^left with 0$");
}

#[test]
fn any_size_of_terminal_is_used() {
    let daemon = Daemon::start();
    for number in 0..8 {
        named(&daemon, &format!("cat-{number}"), &["cat"]);
    }
    let top = daemon.open_client(&["top", "--sort", "name"], (24, 80));
    top.shows("cat-7");
    for (rows, cols) in [(5, 20), (100, 300), (1, 1), (2, 9), (24, 80)] {
        top.resize(rows, cols);
        let foot = "a attach  r output  s signal  c close  p screen  t agents  / filter  e ended  ? help  q quit";
        let width = usize::try_from(cols).unwrap();
        let expected = if width >= foot.len() {
            foot.to_owned()
        } else {
            format!("{}…", &foot[..width - 1])
        };
        eventually(&format!("{rows}x{cols} is filled"), || {
            (top.screen().lines.last()? == &expected).then_some(())
        });
    }
    top.keys(&["End"]);
    top.shows("cat-7");
    // The first list may lack top's own session, if it is requested before that session has started.
    top.shows("ccctl top  9 live");
}

#[test]
fn a_daemon_that_goes_away_is_waited_for() {
    let daemon = Daemon::start();
    let mut looked_at = Daemon::start();
    let cat = looked_at.open("cat", &[]);
    let id = cat.id().to_owned();
    let socket = looked_at.socket();
    let socket = socket.to_str().unwrap();
    let words = ["top", "--interval", "0.1", "--socket", socket];
    let top = daemon.open_client(&words, (24, 120));
    top.shows(&id);
    looked_at.kill();
    let lines = top.shows("no daemon is running at");
    assert!(lines.iter().any(|line| line.contains(&id)), "{lines:?}");
    looked_at.restart();
    top.shows("the daemon was restarted");
    hides(&top, &id);
    top.text("q");
    assert_eq!(top.ended().exitstatus, Some(0));
}

#[test]
fn keys_are_answered_while_the_daemon_is_not() {
    let daemon = Daemon::start();
    let looked_at = Daemon::start();
    let socket = looked_at.socket();
    let socket = socket.to_str().unwrap();
    let words = ["top", "--interval", "0.1", "--socket", socket];
    let top = daemon.open_client(&words, (24, 80));
    top.shows("0 live sessions");
    let worker = crate::support::processes::worker_of(looked_at.pid());
    let worker = Pid::from_raw(worker.unwrap_or(looked_at.pid())).unwrap();
    kill_process(worker, Signal::STOP).unwrap();
    top.text("?");
    top.shows("keys  1-");
    top.text("qq");
    assert_eq!(top.ended().exitstatus, Some(0));
    kill_process(worker, Signal::CONT).unwrap();
}

#[test]
fn without_a_terminal_the_error_names_what_works() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let ran = ccctl.run(&["top"]);
    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""));
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("ccctl ls"), "{}", ran.stderr);
    let dumb = daemon.open_with(&SessionCreateParams {
        env: [("TERM".to_owned(), "dumb".to_owned())].into(),
        ..program(&daemon, CCCTL, &["top"])
    });
    assert_eq!(dumb.ended().exitstatus, Some(2));
    for wrong in ["0", "0.01", "x", "-1", "1e9"] {
        let ran = ccctl.run(&["top", "--interval", wrong]);
        assert_eq!(ran.code, Some(2), "{wrong}");
    }
}

#[test]
fn programs_get_a_document_a_line() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    named(&daemon, "cat", &["cat"]);
    let once = ccctl.ok(&["top", "--json", "--once"]);
    let document: Value = serde_json::from_str(&once).unwrap();
    assert_eq!(document["sessions"][0]["name"], "cat");
    assert!(ccctl.ok(&["top", "--once"]).contains("  cat  "));
    let mut stream = ccctl
        .command(&["top", "--json", "--interval", "0.1"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(stream.stdout.take().unwrap()).lines();
    for _ in 0..3 {
        let document: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(document["sessions"].as_array().unwrap().len(), 1);
    }
    // When its reader goes away, it exits.
    drop(lines);
    let status = eventually("it ends", || stream.try_wait().unwrap());
    assert_eq!(status.code(), Some(141));
}
