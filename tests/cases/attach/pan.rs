//! What terminals show that are smaller than their session.

use super::terminal::{attach, attached, enter, entered, size};
use crate::support::client::{DETACH, person};
use crate::support::{Connection, Daemon, eventually};
use serde_json::json;

#[test]
fn a_small_viewer_moves_to_all_parts_and_back() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    let person = person(&daemon, 8, 30);
    target.ask(
        "printf 'top%60s|\\n' left; printf '%0.s\\n' {1..15}; echo bottom",
        "bottom\n",
    );
    enter(&person, &target, "--read-only");
    person.shows("bottom");
    person.keys(&["Up", "Up"]);
    person.shows("top");
    person.keys(&["C-\\", "S-Right"]);
    person.keys(&["Right", "Right", "Right", "Right", "Right"]);
    person.shows("left|");
    target.ask("echo more", "more\n");
    person.shows("left|");
    person.text("f");
    person.shows("more");
    assert_eq!(size(&target), (24, 80));
    person.keys(&["C-c"]);
    person.expect("detached from");
}

#[test]
fn a_viewer_that_stays_takes_its_own_size() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    let (small, large) = (person(&daemon, 10, 40), person(&daemon, 30, 100));
    enter(&small, &target, "");
    attach(&large, target.id(), "");
    attached(&target, 2);
    entered(&large);
    target.ask("printf '%070d|\\n' 7", "7\\|\n");
    large.keys(DETACH);
    attached(&target, 1);
    small.keys(&[
        "C-\\", "Right", "C-\\", "Right", "C-\\", "Right", "C-\\", "Right",
    ]);
    small.shows("7|");
    assert_eq!(size(&target), (30, 100), "looking changes nothing");
    small.keys(&["C-\\", "f"]);
    eventually("the session has the size of the terminal", || {
        (size(&target) == (10, 40)).then_some(())
    });
    small.text("echo $((6 * 7))\r");
    target.expect("\n\r?42");
}

#[test]
fn only_an_attached_connection_is_panned() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    let mut client = Connection::open(&daemon.socket());
    let pan = json!({"session": target.id(), "rows": i64::MIN, "cols": i64::MAX});
    let message = client.refused("session.pan", &pan, "invalid_argument");
    assert!(message.contains("not attached"), "{message}");
    let params = json!({"session": target.id(), "rows": 5, "cols": 20, "read_only": true});
    client.ok("session.attach", &params);
    client.ok("session.pan", &pan);
    assert_eq!(size(&target), (24, 80));
}
