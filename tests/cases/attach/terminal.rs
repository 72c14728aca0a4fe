//! `ccctl session attach`, at a terminal that is itself a session.

use crate::support::client::{CCCTL, DETACH, person};
use crate::support::session::{OpenSession, lacks, program};
use crate::support::worker::{hand_over, is_one_process, kill_worker};
use crate::support::{Connection, Daemon, eventually};
use ccd_protocol::session::{EndReason, SessionCreateParams, SessionHistory, SessionHistoryParams};
use serde_json::json;

pub(super) fn attach(person: &OpenSession<'_>, session: &str, options: &str) {
    person.line(&format!("'{CCCTL}' session attach {session} {options}"));
}

/// Attaches the only client to a session, and waits until its keys go there.
pub(super) fn enter(person: &OpenSession<'_>, session: &OpenSession<'_>, options: &str) {
    attach(person, session.id(), options);
    attached(session, 1);
    entered(person);
}

/// Waits until `count` clients are attached.
pub(super) fn attached(session: &OpenSession<'_>, count: usize) {
    eventually("the expected number of clients is attached", || {
        (session.now().attached.len() == count).then_some(())
    });
}

/// Waits until keys typed at the terminal go to the session: by then, what the terminal showed before is gone.
pub(super) fn entered(person: &OpenSession<'_>) {
    eventually("the terminal shows the session", || {
        let lines = person.screen().lines;
        let is_old = lines.iter().any(|line| line.contains("session attach"));
        (!is_old).then_some(())
    });
}

pub(super) fn size(session: &OpenSession<'_>) -> (u16, u16) {
    let now = session.now();
    (now.rows, now.cols)
}

/// Returns what `stty` reports for the person's terminal.
pub(super) fn settings(person: &OpenSession<'_>) -> String {
    person
        .ask("stty -g; echo asked", r"([0-9a-f]+:[0-9a-f:]+)\n")
        .groups[1]
        .clone()
        .unwrap()
}

#[test]
fn a_terminal_becomes_the_sessions_and_is_given_back() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    target.ask("echo before", "before\n");
    let person = person(&daemon, 20, 70);
    let before = settings(&person);
    attach(&person, target.id(), "");
    person.shows("before");
    let title = format!("{}, C-\\ d detaches", target.id());
    assert_eq!(person.screen().title, title);
    assert_eq!(size(&target), (20, 70));
    let viewer = &target.now().attached[0];
    assert_eq!(viewer.client, "ccctl attach");
    assert!(!viewer.read_only);
    assert_eq!(viewer.pid, client_of(&person));
    person.line("echo $((6 * 7))");
    target.expect("\n\r?42");
    person.shows("42");
    person.keys(DETACH);
    person.expect("detached from .*, which keeps running");
    attached(&target, 0);
    assert_eq!(settings(&person), before);
    assert_eq!(size(&target), (20, 70), "the size does not change");
    target.ask("echo still here", "still here\n");
}

#[test]
fn a_full_screen_program_looks_the_same_and_leaves_nothing_behind() {
    if lacks(&["vim"]) {
        return;
    }
    let daemon = Daemon::start();
    let file = daemon.home().join("text.c");
    let text = "int main(void) { return 漢字; } // wide\n".repeat(60);
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let vim = daemon.open("vim", &["-u", "NONE", "--cmd", "syntax on", file]);
    vim.shows("wide");
    let person = person(&daemon, 30, 100);
    attach(&person, vim.id(), "");
    person.shows("wide");
    person.text(":set nu\r");
    person.shows(" 25 int main");
    eventually("both screens are the same", || {
        let (theirs, ours) = (vim.screen(), person.screen());
        (theirs.lines == ours.lines && theirs.cursor == ours.cursor && ours.alternate).then_some(())
    });
    person.keys(DETACH);
    person.expect("which keeps running");
    assert!(!person.screen().alternate);
    // Once more, from a terminal that has shown something else in between.
    attach(&person, vim.id(), "");
    person.shows(" 25 int main");
    person.text(":q!\r");
    person.expect("has ended: exited 0");
    person.ask("echo $?", "\n\r?0\r?\n");
}

#[test]
fn the_size_follows_who_typed_last() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    let (large, small) = (person(&daemon, 30, 100), person(&daemon, 10, 50));
    enter(&large, &target, "");
    attach(&small, target.id(), "");
    let has_size = |rows, cols| {
        eventually(&format!("the session has {rows}x{cols}"), || {
            (size(&target) == (rows, cols)).then_some(())
        });
    };
    has_size(10, 50);
    // The large terminal shows the session in a corner.
    large.shows("·····");
    large.line("stty size");
    target.expect("30 100");
    large.shows("30 100");
    // The small terminal shows the part around the cursor.
    large.line("printf '%098d|\\n' 7; stty size");
    large.shows("7|");
    small.text("\r");
    has_size(10, 50);
    small.resize(12, 40);
    has_size(12, 40);
    target.line("stty size");
    target.expect("12 40");
    small.shows("12 40");
}

#[test]
fn a_viewer_that_only_looks_changes_nothing() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    let person = person(&daemon, 8, 30);
    enter(&person, &target, "--read-only");
    assert!(target.now().attached[0].read_only);
    person.text("echo nobody may say this\r");
    target.ask(
        "echo a; printf '%0100d\\n' 1; echo end of it",
        "end of it\n",
    );
    person.shows("end of it");
    assert_eq!(size(&target), (24, 80));
    person.resize(20, 60);
    target.ask("echo more", "more\n");
    person.shows("more");
    assert_eq!(size(&target), (24, 80));
    person.keys(&["C-c"]);
    person.expect("detached from");
    assert!(!target.output().contains("nobody"));
}

#[test]
fn questions_to_the_terminal_are_answered_once() {
    let daemon = Daemon::start();
    let target = daemon.open(
        "bash",
        &[
            "--norc",
            "-c",
            r#"stty raw -echo; while read -rn1 key; do
             printf '\033[6n'; answer=; while read -rn1 -t 0.4 c; do answer+=$c; done
             printf 'got %q\r\n' "$answer"; done"#,
        ],
    );
    let person = person(&daemon, 24, 80);
    enter(&person, &target, "");
    person.text("x");
    let answer = target.expect(r"got (\S+)").groups[1].clone().unwrap();
    assert_eq!(answer.matches('R').count(), 1, "{answer}");
}

/// Returns the process that runs in the foreground of the person's terminal, if it is not the shell.
pub(super) fn client_of(person: &OpenSession<'_>) -> Option<i32> {
    let pid = person.now().pid;
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children.split_whitespace().last()?.parse().ok()
}

pub(super) fn signal_process(pid: i32, signal: &str) {
    let status = std::process::Command::new("kill")
        .args([format!("-{signal}"), pid.to_string()])
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn a_viewer_does_not_notice_that_the_worker_was_killed_or_replaced() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let target = daemon.open_bash();
    let person = person(&daemon, 20, 70);
    enter(&person, &target, "");
    kill_worker(&daemon);
    attached(&target, 1);
    person.line("echo after $((1 + 1)) kills");
    target.expect("\n\r?after 2 kills");
    person.shows("after 2 kills");
    daemon.ok("daemon.restart", &json!({}));
    hand_over(&daemon, 2);
    attached(&target, 1);
    person.line("echo and $((2 + 2)) restarts");
    target.expect("\n\r?and 4 restarts");
    person.shows("and 4 restarts");
}

#[test]
fn a_flood_neither_hides_the_keys_nor_holds_the_terminal() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    let person = person(&daemon, 24, 80);
    enter(&person, &target, "--detach-keys 'C-a q'");
    person.line("while :; do echo flooding $RANDOM; done");
    person.shows("flooding");
    person.keys(&["C-c"]);
    person.line("echo over and done");
    person.shows("over and done");
    person.line("yes");
    person.shows("y");
    person.keys(&["C-a", "q"]);
    person.expect("detached from");
}

#[test]
fn a_session_is_not_attached_inside_itself() {
    let daemon = Daemon::start();
    let outer = person(&daemon, 24, 80);
    attach(&outer, outer.id(), "");
    outer.expect("would show itself endlessly");
    // Without the variable, ccctl recognises the terminal.
    let id = outer.id().to_owned();
    outer.line(&format!(
        "env -u CCD_SESSION_ID '{CCCTL}' session attach {id}; echo status $?"
    ));
    outer.expect("would show itself endlessly");
    outer.expect("status 2");
    // Nor through another session.
    let inner = person(&daemon, 24, 80);
    attach(&outer, inner.id(), "");
    attached(&inner, 1);
    entered(&outer);
    attach(&inner, outer.id(), "");
    inner.expect("would show itself endlessly");
    assert!(outer.now().attached.is_empty());
}

#[test]
fn what_is_typed_key_by_key_is_a_line_in_the_history_and_a_password_is_none() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    let person = person(&daemon, 24, 80);
    enter(&person, &target, "");
    for key in [
        "e", "c", "h", "x", "BSpace", "o", "Space", "h", "i", "Enter",
    ] {
        person.keys(&[key]);
    }
    target.expect("\n\r?hi");
    person.line("read -s -p 'secret? ' s; echo got ${#s} of it");
    target.expect("secret\\? $");
    for key in "hunter2!".chars() {
        person.text(&key.to_string());
    }
    person.keys(&["Enter"]);
    target.expect("got 8 of it");
    target.ask("echo \"it was $s\"", "it was hunter2!");
    person.keys(DETACH);
    attached(&target, 0);
    let history = daemon.call::<SessionHistory>(&SessionHistoryParams {
        session: target.id().to_owned(),
        ..SessionHistoryParams::default()
    });
    let rows = history.unwrap().interactions;
    let typed: Vec<&str> = rows
        .iter()
        .filter(|row| row.client.as_deref() == Some("ccctl attach"))
        .filter_map(|row| row.input_text.as_deref())
        .collect();
    assert_eq!(typed[0], "echo hi");
    assert!(typed.contains(&"<hidden>"), "{typed:?}");
    let all = serde_json::to_string(&rows).unwrap();
    assert!(!all.contains("hunter2"), "{all}");
}

#[test]
fn an_attached_session_is_not_idle() {
    let daemon = Daemon::start();
    let target = daemon.open_with(&SessionCreateParams {
        session_timeout_s: Some(1.0),
        ..program(&daemon, "cat", &[])
    });
    let mut client = Connection::open(&daemon.socket());
    let params = json!({"session": target.id(), "rows": 24, "cols": 80});
    client.ok("session.attach", &params);
    // Lets more time pass than the session's idle timeout.
    let other = daemon.open_with(&SessionCreateParams {
        session_timeout_s: Some(2.0),
        ..program(&daemon, "cat", &[])
    });
    assert_eq!(other.ended().end_reason, Some(EndReason::Idle));
    assert!(target.now().end_reason.is_none());
    drop(client);
    assert_eq!(target.ended().end_reason, Some(EndReason::Idle));
}
