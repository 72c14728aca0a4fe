//! How an attached terminal leaves its session, and what it shows then.

use crate::attach::terminal::{
    attach, attached, client_of, enter, entered, settings, signal_process,
};
use crate::support::client::{CCCTL, DETACH, person};
use crate::support::{Ccctl, Daemon, eventually};

#[test]
fn every_way_out_gives_the_terminal_back() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    let person = person(&daemon, 24, 80);
    let before = settings(&person);
    let alternate =
        r"printf '\033[?1049h\033[?1000;2004h\033[?25l\033[?1hfull\033=\033[4h\033[5;9r'";
    for (signal, status) in [
        ("TERM", 143),
        ("HUP", 129),
        ("INT", 130),
        ("QUIT", 131),
        ("USR1", 138),
        ("ALRM", 142),
    ] {
        enter(&person, &target, "");
        target.ask(alternate, "full");
        person.shows("full");
        let pid = eventually("ccctl has a process", || client_of(&person));
        signal_process(pid, signal);
        person.expect("detached from");
        person.ask("echo $?", &format!("\n\r?{status}"));
        let now = person.screen();
        assert!(!now.alternate && now.cursor.visible, "{signal}");
        assert_eq!(settings(&person), before, "{signal}");
        attached(&target, 0);
    }
    // Stopped and continued, as by a shell's job control.
    enter(&person, &target, "");
    let pid = eventually("ccctl has a process", || client_of(&person));
    signal_process(pid, "TSTP");
    person.expect("Stopped");
    assert!(!person.screen().alternate);
    person.line("fg");
    person.shows("full");
    // Stopped by a signal that cannot be handled: the shell gets the terminal as it is.
    let pid = eventually("ccctl has a process", || client_of(&person));
    signal_process(pid, "STOP");
    person.expect("Stopped");
    person.line("printf 'in %s' between; fg");
    person.expect("in between");
    attached(&target, 1);
    eventually("the terminal shows the session again", || {
        let lines = person.screen().lines;
        (!lines.iter().any(|line| line.contains("in between"))).then_some(())
    });
    person.keys(&["C-u"]);
    person.line("stty -a <$(tty)");
    target.expect("icanon");
    target.close();
    person.expect("has ended: exited|has ended: closed|has ended");
    assert_eq!(settings(&person), before);
}

#[test]
fn what_was_shown_stays_above_the_shell() {
    let daemon = Daemon::start();
    let target = daemon.open("sh", &["-c", "echo one; echo two; read x; echo got $x"]);
    target.expect("two");
    let person = person(&daemon, 24, 80);
    enter(&person, &target, "");
    person.keys(DETACH);
    person.expect("detached from");
    let lines = person.screen().lines;
    assert_eq!(&lines[..2], ["one", "two"]);
    assert!(lines[2].contains("detached from"), "{lines:?}");
    enter(&person, &target, "");
    person.line("more");
    person.expect("has ended: exited 0");
    let lines = person.screen().lines;
    assert_eq!(&lines[..4], ["one", "two", "more", "got more"]);
    assert!(lines[4].contains("has ended"), "{lines:?}");
}

#[test]
fn without_a_terminal_it_says_what_to_do_instead() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    let ran = Ccctl::new(&daemon).run(&["session", "attach", target.id()]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("logs -f"), "{}", ran.stderr);
    let person = person(&daemon, 24, 80);
    target.close();
    for (session, told, status) in [
        ("nobody", "no session has", 4),
        (target.id(), "has ended", 1),
    ] {
        attach(&person, session, "; echo status $?");
        person.expect(told);
        person.expect(&format!("status {status}"));
    }
}

#[test]
fn a_session_is_created_and_attached_in_one_step() {
    let daemon = Daemon::start();
    let person = person(&daemon, 20, 60);
    person.line(&format!(
        "CCD_DETACH_KEYS='C-a x' '{CCCTL}' session create --name mine --attach -- bash --norc"
    ));
    eventually("the session exists", || daemon.id_of("mine").ok());
    person.line("stty size");
    person.expect("20 60");
    person.keys(&["C-a", "x"]);
    person.expect("detached from mine");
    let ran = Ccctl::new(&daemon).run(&["session", "create", "--attach", "--", "cat"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(daemon.listed(false).len(), 2, "nothing was started");
}

#[test]
fn a_program_that_has_ended_before_it_could_be_attached_is_shown() {
    let daemon = Daemon::start();
    let person = person(&daemon, 20, 60);
    for round in 0..10 {
        person.line(&format!(
            "'{CCCTL}' session create --attach -- printf 'hello {round}'; echo status $?"
        ));
        person.expect(&format!("hello {round}\r\n.* has ended: exited 0"));
        person.expect("\n\r?status 0");
    }
}

#[test]
fn what_the_environment_says_is_told() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    let person = person(&daemon, 24, 80);
    for (variable, told) in [
        ("TERM=dumb", "can be drawn on"),
        (
            "CCD_DETACH_KEYS=x-y",
            r"for \$CCD_DETACH_KEYS: .*is not a key",
        ),
    ] {
        let id = target.id();
        person.line(&format!(
            "{variable} '{CCCTL}' session attach {id}; echo status $?"
        ));
        person.expect(told);
        person.expect("status 2");
    }
}

#[test]
fn the_end_of_the_daemon_is_the_end_of_the_session() {
    let mut daemon = Daemon::start();
    let outer = Daemon::start();
    let target = daemon.open_bash();
    let person = person(&outer, 24, 80);
    let id = target.id().to_owned();
    person.line(&format!(
        "CCD_HOME='{}' '{CCCTL}' session attach {id}",
        daemon.home().display()
    ));
    attached(&target, 1);
    entered(&person);
    drop(target);
    daemon.kill();
    person.expect("the daemon has ended, and the session");
}
