//! `ccctl` as people and scripts use it.

mod auto_start;
mod completion;
mod doctor;
mod doctor_trial;
mod hand_over;
mod hostile;
mod mistakes;
mod other_host;
mod other_host_inherits;
mod pexpect;
mod sessions;
mod survival;
mod top;
mod words;

use crate::support::session::{OpenSession, program};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::session::{SessionCreateParams, SessionSignal, SessionSignalParams};
use std::process::{Child, Stdio};

/// Starts a program in a session with this name.
fn named<'a>(daemon: &'a Daemon, name: &str, words: &[&str]) -> OpenSession<'a> {
    daemon.open_with(&SessionCreateParams {
        name: Some(name.to_owned()),
        ..program(daemon, words[0], &words[1..])
    })
}

/// Starts `ccctl` with its standard output and standard error piped to the test.
fn start(ccctl: &Ccctl<'_>, args: &[&str], stdin: Stdio) -> Child {
    let mut command = ccctl.command(args);
    command.stdin(stdin).stdout(Stdio::piped());
    command.stderr(Stdio::piped()).spawn().unwrap()
}

/// Types a text, which may be empty, or presses the key in angle brackets.
fn press(session: &OpenSession<'_>, text: &str) {
    match text.strip_prefix('<').and_then(|key| key.strip_suffix('>')) {
        Some(key) => drop(session.keys(&[key])),
        None if text.is_empty() => {}
        None => drop(session.text(text)),
    }
}

/// Presses each of these, and waits until the screen shows the text beside it.
#[track_caller]
fn walk(session: &OpenSession<'_>, steps: &[(&str, &str)]) {
    for (pressed, shown) in steps {
        press(session, pressed);
        session.shows(shown);
    }
}

/// Starts a bash in which `$CCCTL` is the client; also returns its terminal modes.
fn shell(daemon: &Daemon) -> (OpenSession<'_>, String) {
    let mut params = program(daemon, "bash", &["--norc", "--noprofile"]);
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

/// Starts `ccctl` with these words in a shell, and leaves it in each of these ways, by keys or by a signal, with the exit
/// status beside it: the terminal is as it was before.
fn every_way_out(words: &str, shown: &str, ways: &[(&str, i32)]) {
    let daemon = Daemon::start();
    let (bash, before) = shell(&daemon);
    for (way, status) in ways {
        bash.line(&format!("echo visible-$((6*7)); \"$CCCTL\" {words}"));
        bash.shows(shown);
        assert!(bash.screen().alternate, "{way}");
        if way.chars().all(|c| c.is_ascii_uppercase()) {
            let params = SessionSignalParams {
                session: bash.id().to_owned(),
                signal: (*way).to_owned(),
            };
            daemon.call::<SessionSignal>(&params).unwrap();
        } else {
            press(&bash, way);
        }
        eventually(way, || (!bash.screen().alternate).then_some(()));
        bash.ask("echo left with $?", &format!("(?m)^left with {status}$"));
        let after = bash.screen();
        assert!(!after.alternate && after.cursor.visible, "{way}");
        let is_there = after.lines.iter().any(|line| line == "visible-42");
        assert!(is_there, "{way}: {:?}", after.lines);
        bash.expect("ready> ");
        assert_eq!(modes(&bash), before, "{way}");
        bash.line("clear");
        bash.expect("ready> ");
    }
}
