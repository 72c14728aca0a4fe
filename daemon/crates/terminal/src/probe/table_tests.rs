//! The table of programs: the state of each program's terminal and foreground tasks while it waits for input, or does
//! not.

use rustix::fs::Mode;
use rustix::process::{Pid, Signal, geteuid, kill_process};
use std::time::{Duration, Instant};

use super::report::InputWait::{Accepts, No, Unknown};
use super::test_table::{eventually_probed, found, play_all, row, row_after, wait_for_reader};
use super::test_terminal::{TestTerminal, eventually, is_installed, public_folder};
use super::{LastTyped, Probe, fresh};

const BASH: &str = "bash --norc";
const POLL: &str = "python3 -c 'import select; p = select.poll(); p.register(0, 1); p.poll()'";

#[test]
fn plain_readers_are_blocked() {
    let blocked = "plain blocked read";
    for command in [
        "cat",
        "dash",
        "perl -e '<STDIN>'",
        "python3 -c 'input()'",
        "python3 -c 'import os; os.readv(0, [bytearray(9)])'",
        "bash -c 'read x'",
        "bash -c 'cat; true'",
        "bash -c 'true | cat /dev/tty'",
    ] {
        row(command, blocked).play();
    }
    play_all(&[
        row_after("dash", &["cat; true\n"], "", blocked),
        row_after(BASH, &["cat\n"], "", blocked),
        row_after(BASH, &["cat | sort\n"], "", blocked),
    ]);
}

#[test]
fn a_splice_from_the_terminal_is_a_read() {
    let splice = "python3 -c 'import os; r, w = os.pipe()
os.splice(0, w, 9) if hasattr(os, \"splice\") else input()'";
    row(splice, "plain blocked read").play();
}

/// In a pipeline whose first program has exited, the reader is not the leader of its group.
#[test]
fn the_reader_need_not_lead_its_group() {
    let typed = &["true | cat /dev/tty | sort\n"];
    let row = row_after(BASH, typed, "", "plain blocked read");
    let (_terminal, probe) = row.play().unwrap();
    assert_ne!(probe.reader.unwrap().pid, probe.foreground);
}

#[test]
fn a_thread_that_reads_is_found() {
    let script = "python3 -c 'import threading, time
threading.Thread(target=input).start()
time.sleep(100)'";
    let (_terminal, probe) = row(script, "plain blocked read").play().unwrap();
    let reader = probe.reader.unwrap();
    assert_ne!(reader.tid, reader.pid);
}

#[test]
fn secrets_are_read_in_canonical_mode_without_echo() {
    let folder = public_folder();
    let key = format!("ssh-keygen -q -f {}/key", folder.path().display());
    let blocked = "hidden blocked read";
    for command in [
        "bash -c 'read -s x'",
        "python3 -c 'import getpass; getpass.getpass()'",
        "bash -c 'stty -echo; cat'",
        "setsid -w bash -c 'read -s x'",
        "openssl passwd",
        &key,
    ] {
        row(command, blocked).play();
    }
    row_after(BASH, &["read -s x\n"], "", blocked).play();
}

/// A program of another user, or one that forbids being inspected, is visible only to root.
#[test]
fn a_protected_program_is_either_seen_or_said_to_be_denied() {
    let protect = "python3 -c 'import ctypes, getpass
ctypes.CDLL(None).prctl(4, 0); getpass.getpass(\"secret\")'";
    for command in [protect, "su -s /bin/sh -c su nobody"] {
        if command != protect && !is_installed("su") {
            eprintln!("skipped, not installed: su");
            continue;
        }
        eventually_probed(&mut TestTerminal::start(command), |probe| {
            let denied =
                probe.verdict == Unknown && probe.how == "denied" && probe.hidden_prompt_likely;
            let seen = found(probe) == "hidden blocked read" && geteuid().is_root();
            probe.line.hides_input() && (denied || seen)
        });
    }
}

#[test]
fn raw_readers_are_blocked() {
    play_all(&[
        row("bash -c 'read -s -n1 x'", "raw blocked read"),
        row("less /etc/passwd", "raw blocked read"),
        row("mksh", "raw blocked read"),
        row("zsh -f", "raw blocked read"),
    ]);
}

#[test]
fn line_editors_accept() {
    let select = "raw accepts select";
    play_all(&[
        row(BASH, select),
        row("bash -c 'read -e x'", select),
        row("bash -c 'read -t 100 x'", "plain accepts select"),
        row_after(BASH, &["true\n", "echo do''ne\n"], "done", select),
        row("sqlite3", select),
        row("bc -q", select),
    ]);
}

/// Which of the two calls the interactive Python uses depends on its version.
#[test]
fn an_interactive_python_accepts() {
    eventually_probed(&mut TestTerminal::start("python3 -q"), |probe| {
        let is_known = ["select", "poll"].contains(&&*probe.how);
        probe.verdict == Accepts && is_known && !probe.line.echo
    });
}

#[test]
fn full_screen_programs_accept() {
    play_all(&[
        row("vim -u NONE", "raw accepts select"),
        row("top", "raw accepts select"),
        row("htop", "raw accepts poll"),
        row("gdb -q -nx", "raw accepts poll"),
        row("more /etc/services", "raw accepts poll"),
        row("script -q -c 'sleep 100' /dev/null", "raw unknown relay"),
    ]);
}

#[test]
fn a_program_that_passes_input_on_is_not_known_to_wait() {
    let folder = public_folder();
    let ssh = format!("{}/ssh", folder.path().display());
    std::os::unix::fs::symlink("/bin/cat", &ssh).unwrap();
    let raw = format!("sh -c 'stty raw -echo; exec {ssh}'");
    let spawn = "python3 -c 'import pty; pty.spawn([\"sleep\", \"100\"])'";
    play_all(&[
        row(&raw, "raw unknown relay"),
        row(spawn, "raw unknown relay"),
        // Its own question, before it is connected.
        row(&ssh, "plain blocked read"),
    ]);
}

#[test]
fn a_relay_hides_input_if_the_terminal_of_its_program_does() {
    for (program, hides) in [("read -s x", true), ("read x", false), ("read -e x", false)] {
        let script = format!("script -q -c \"bash -c '{program}'\" /dev/null");
        let Some((mut terminal, _)) = row(&script, "raw unknown relay").play() else {
            return;
        };
        eventually_probed(&mut terminal, |probe| probe.hidden_prompt_likely == hides);
    }
}

#[test]
fn a_program_that_is_there_to_ask_for_secrets_hides_input() {
    let folder = public_folder();
    let pinentry = format!("{}/pinentry-tty", folder.path().display());
    std::os::unix::fs::symlink("/bin/cat", &pinentry).unwrap();
    let raw = format!("sh -c 'stty raw -echo; exec {pinentry}'");
    let (_terminal, probe) = row(&raw, "raw blocked read").play().unwrap();
    assert!(probe.hidden_prompt_likely);
}

#[test]
fn what_another_process_may_be_doing_with_the_terminal_is_not_known() {
    let socket = "python3 -uc 'import os, socket, sys, tty; a, b = socket.socketpair()
if sys.argv[1] == \"raw\": tty.setraw(0)
print(\"up\"); os.read(a.fileno(), 1)'";
    for (mode, expected) in [("raw", "raw unknown elsewhere"), ("plain", "plain no none")] {
        row_after(&format!("{socket} {mode}"), &[], "up", expected).play();
    }
}

#[test]
fn event_loops_accept() {
    let asyncio = "python3 -c 'import asyncio; l = asyncio.new_event_loop()
l.add_reader(0, print); l.run_forever()'";
    play_all(&[
        row(asyncio, "plain accepts epoll"),
        row("node -i", "raw accepts epoll"),
        row("node -e 'process.stdin.resume()'", "plain accepts epoll"),
    ]);
}

#[test]
fn what_else_could_wake_the_reader_is_told() {
    let socket = "python3 -c 'import select, socket as s
a, b = s.socketpair(); select.select([0, a], [], [])'";
    let timer = "node -e 'process.stdin.setRawMode(true); process.stdin.resume()
setInterval(() => {}, 60000)'";
    for (command, expected, socket_in_set, has_timeout) in [
        (POLL, "plain accepts poll", false, false),
        (socket, "plain accepts select", true, false),
        (timer, "raw accepts epoll", false, true),
    ] {
        let Some((_terminal, probe)) = row(command, expected).play() else {
            continue;
        };
        let reader = probe.reader.unwrap();
        let other = (reader.socket_in_set, reader.has_timeout);
        assert_eq!(other, (socket_in_set, has_timeout), "{command}");
    }
}

#[test]
fn programs_that_wait_for_something_else_do_not_count() {
    row("sleep 100", "plain no none").play();
    row("bash -c 'sleep 100 | cat'", "plain no none").play();
    for command in [
        "bash -c 'echo up; while :; do :; done'",
        "node -e 'console.log(\"up\"); setInterval(() => {}, 60000)'",
    ] {
        row_after(command, &[], "up", "plain no none").play();
    }
    for script in [
        "import os, socket; a, b = socket.socketpair(); print(\"up\"); os.read(a.fileno(), 1)",
        "import subprocess, socket; a, b = socket.socketpair(); print(\"up\")
subprocess.run([\"cat\"], stdin=a)",
        "import os, pty; m, s = pty.openpty(); print(\"up\"); os.read(s, 1)",
        "import os, pty, time\npid, fd = pty.fork()
if not pid: os.execlp(\"cat\", \"cat\", \"/dev/tty\")\nprint(\"up\"); time.sleep(100)",
        "import select, os; r, w = os.pipe(); print(\"up\"); select.select([r], [], [0])",
    ] {
        let command = format!("python3 -uc '{script}'");
        row_after(&command, &[], "up", "plain no none").play();
    }
}

#[test]
fn what_a_program_runs_decides() {
    let vim = "bash -c \"vim -u NONE -c '!echo up; sleep 100'\"";
    for (command, typed, shown) in [
        (BASH, &["echo u''p; sleep 100\n"][..], "up"),
        (BASH, &["echo u''p; sleep 100 | cat\n"], "up"),
        ("gdb -q -nx sleep", &["run 100\n"], "Starting"),
        ("vim -u NONE", &[":!echo u''p; sleep 100\r"], "up"),
        (vim, &[], "up"),
    ] {
        row_after(command, typed, shown, "plain no none").play();
    }
}

#[test]
fn a_shell_takes_over_from_stopped_and_background_jobs() {
    let accepts = "raw accepts select";
    let (stop, resume) = (&["cat\n", "\u{1a}"], &["cat\n", "\u{1a}", "fg\n"]);
    let later = &["cat &\n", "echo u''p; sleep 100\n"];
    play_all(&[
        row_after(BASH, stop, "Stopped", accepts),
        row_after(BASH, resume, "Stopped", "plain blocked read"),
        row_after(BASH, &["cat &\n"], "", accepts),
        row_after(BASH, &["sleep 100 &\n"], "", accepts),
        row_after(BASH, later, "up", "plain no none"),
    ]);
}

#[test]
fn a_terminal_multiplexer_tells_only_about_its_client() {
    let command = format!(
        "tmux -L ccd-probe-{} -f /dev/null new cat",
        std::process::id()
    );
    row_after(&command, &[], "[0]", "raw unknown elsewhere").play();
}

#[test]
fn a_stopped_reader_does_not_wait_until_it_goes_on() {
    for (command, expected) in [("cat", "plain blocked read"), (POLL, "plain accepts poll")] {
        let (mut terminal, _) = row(command, expected).play().unwrap();
        let leader = Pid::from_raw(terminal.leader()).unwrap();

        kill_process(leader, Signal::STOP).unwrap();
        let probe = eventually_probed(&mut terminal, |probe| probe.how == "stopped");
        assert_eq!((probe.verdict, probe.activity()), (No, "stopped"));

        // A poll that continues is another call to the kernel, with the same arguments.
        kill_process(leader, Signal::CONT).unwrap();
        eventually_probed(&mut terminal, |probe| {
            found(probe) == expected && probe.activity() == "blocked reading its terminal"
        });
    }
}

#[test]
fn a_terminal_whose_program_has_ended_waits_for_nothing() {
    let mut terminal = TestTerminal::start("bash -c 'exit 3'");
    eventually_probed(&mut terminal, |probe| {
        probe.verdict == No && probe.foreground == 0
    });
}

/// Right after a write, the reader often was not woken yet. This must be visible from the switches alone, without the
/// time.
#[test]
fn a_reader_that_was_just_given_input_is_never_fresh() {
    // After each line it is busy until the test has seen that.
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
    let script = format!(
        "python3 -c 'import sys\nwhile sys.stdin.readline(): open(\"{}\").read()'",
        pipe.display()
    );
    let mut terminal = TestTerminal::start(&script);
    for _ in 0..20 {
        let before = wait_for_reader(&mut terminal, None);
        // On a machine that gives the kernel no time for so long, only the time counts.
        let late = Instant::now() + Duration::from_secs(1);
        let typed = LastTyped::now(b"line\n", before.reader, 0);
        terminal.send("line\n");
        let is_busy = |probe: &Probe| probe.verdict == No;
        eventually(|| {
            let probe = terminal.probe();
            let believed = probe.at < late && fresh(&typed, &probe, 0);
            assert!(!believed || is_busy(&probe), "stale: {before:?} {probe:?}");
            is_busy(&probe)
                .then_some(())
                .ok_or_else(|| format!("{probe:?}"))
        });
        std::fs::write(&pipe, "").unwrap();
    }
}
