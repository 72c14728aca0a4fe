//! `ccctl top` on the terminals of sessions.

use crate::support::session::{OpenSession, lacks};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::session::{
    SessionCreateParams, SessionResize, SessionResizeParams, SessionSignal, SessionSignalParams,
};
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

fn named<'a>(daemon: &'a Daemon, name: &str, words: &[&str]) -> OpenSession<'a> {
    daemon.open_with(&SessionCreateParams {
        name: Some(name.to_owned()),
        ..crate::support::session::program(daemon, words[0], &words[1..])
    })
}

/// Starts a bash in which `$CCCTL` is the client; also returns its terminal modes.
fn shell(daemon: &Daemon) -> (OpenSession<'_>, String) {
    let mut params = crate::support::session::program(daemon, "bash", &["--norc", "--noprofile"]);
    let client = env!("CARGO_BIN_EXE_ccctl_under_test").to_owned();
    let home = daemon.home().display().to_string();
    for (name, value) in [("CCCTL", client), ("CCD_HOME", home)] {
        params.env.insert(name.to_owned(), value);
    }
    let bash = daemon.open_with(&params);
    bash.expect("ready> ");
    let modes = modes(&bash);
    (bash, modes)
}

fn modes(bash: &OpenSession<'_>) -> String {
    let found = bash.ask("stty -g", r"(?m)^([0-9a-f]+(:[0-9a-f]+)+)$");
    bash.expect("ready> ");
    found.matched
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
    top.keys(&["g"]);
    top.text("susr1");
    top.shows("signal told: USR1");
    top.keys(&["Enter"]);
    top.shows("sent USR1");
    told.expect("was told");
    top.text("r");
    let lines = top.shows("was told");
    assert!(lines[0].starts_with("told  1-"), "{lines:?}");
    top.text("q");
    top.shows("closing");
    top.text("p");
    top.shows("── told ──");
    top.shows("was told");
    top.keys(&["Down"]);
    top.text("c");
    top.shows("close closing? y/n");
    top.text("y");
    closed.ended();
    top.shows("closed: ");
    hides(&top, "cat");
    top.text("e");
    top.shows("closing");
    top.text("/told");
    hides(&top, "closing");
    top.keys(&["Escape"]);
    top.shows("closing");
    top.text("s");
    top.shows("signal told: INT");
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
    let daemon = Daemon::start();
    let (bash, before) = shell(&daemon);
    let signal = |name: &str| {
        let params = SessionSignalParams {
            session: bash.id().to_owned(),
            signal: name.to_owned(),
        };
        daemon.call::<SessionSignal>(&params).unwrap();
    };
    let ways: [(&str, &dyn Fn(), i32); 9] = [
        ("q", &|| drop(bash.text("q")), 0),
        ("escape", &|| drop(bash.keys(&["Escape"])), 0),
        ("^C", &|| drop(bash.keys(&["C-c"])), 0),
        ("^D", &|| drop(bash.keys(&["C-d"])), 0),
        ("INT", &|| signal("INT"), 130),
        ("TERM", &|| signal("TERM"), 143),
        ("HUP", &|| signal("HUP"), 129),
        ("QUIT", &|| signal("QUIT"), 131),
        ("from the help", &|| drop(bash.text("?qq")), 0),
    ];
    for (way, leave, status) in ways {
        bash.line("echo visible-$((6*7)); \"$CCCTL\" top");
        bash.shows("ccctl top  1 live session");
        assert!(bash.screen().alternate, "{way}");
        leave();
        eventually(way, || (!bash.screen().alternate).then_some(()));
        bash.ask("echo left with $?", &format!("(?m)^left with {status}$"));
        let after = bash.screen();
        assert!(!after.alternate && after.cursor.visible, "{way}");
        assert!(
            after.lines.iter().any(|line| line == "visible-42"),
            "{way}: {:?}",
            after.lines
        );
        bash.expect("ready> ");
        assert_eq!(modes(&bash), before, "{way}");
        bash.line("clear");
        bash.expect("ready> ");
    }
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
        let params = SessionResizeParams {
            session: top.id().to_owned(),
            rows,
            cols,
        };
        daemon.call::<SessionResize>(&params).unwrap();
        let foot = "a attach  r output  s signal  c close  p screen  / filter  o sort  e ended  ? help  q quit";
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
    let top = daemon.open_client(
        &[
            "top",
            "--interval",
            "0.1",
            "--socket",
            socket.to_str().unwrap(),
        ],
        (24, 120),
    );
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
    let words = [
        "top",
        "--interval",
        "0.1",
        "--socket",
        socket.to_str().unwrap(),
    ];
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
    assert!(ran.stderr.contains("ccctl session list"), "{}", ran.stderr);
    let dumb = daemon.open_with(&SessionCreateParams {
        env: [("TERM".to_owned(), "dumb".to_owned())].into(),
        ..crate::support::session::program(
            &daemon,
            env!("CARGO_BIN_EXE_ccctl_under_test"),
            &["top"],
        )
    });
    assert_eq!(dumb.ended().exitstatus, Some(2));
    for wrong in ["0", "0.01", "x", "-1", "1e9"] {
        assert_eq!(
            ccctl.run(&["top", "--interval", wrong]).code,
            Some(2),
            "{wrong}"
        );
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
