//! The table of programs: the state of each program's terminal and foreground tasks while it waits for input, or does
//! not.

use rustix::process::{Pid, Signal, geteuid, kill_process};

use super::report::Verdict::{Accepts, Blocked, No, Unknown};
use super::test_table::{Hidden, Plain, Raw, play_all, row, wait_for_reader};
use super::test_terminal::{Folder, TestTerminal, eventually, is_installed};
use super::{LastTyped, Probe, fresh};

#[test]
fn plain_readers_are_blocked() {
    play_all(&[
        row(&["cat"], Plain, Blocked, "read"),
        row(&["dash"], Plain, Blocked, "read"),
        row(&["dash"], Plain, Blocked, "read").typed(&["cat; true\n"]),
        row(&["perl", "-e", "<STDIN>"], Plain, Blocked, "read"),
        row(&["python3", "-c", "input()"], Plain, Blocked, "read"),
        row(
            &["python3", "-c", "import os; os.readv(0, [bytearray(9)])"],
            Plain,
            Blocked,
            "read",
        ),
        row(&["bash", "-c", "read x"], Plain, Blocked, "read"),
        row(&["bash", "-c", "cat; true"], Plain, Blocked, "read"),
        row(&["bash", "--norc"], Plain, Blocked, "read").typed(&["cat\n"]),
        row(&["bash", "--norc"], Plain, Blocked, "read").typed(&["cat | sort\n"]),
        row(
            &["bash", "-c", "true | cat /dev/tty"],
            Plain,
            Blocked,
            "read",
        ),
    ]);
}

#[test]
fn a_splice_from_the_terminal_is_a_read() {
    let splice =
        "import os; r, w = os.pipe(); os.splice(0, w, 9) if hasattr(os, 'splice') else input()";
    play_all(&[row(&["python3", "-c", splice], Plain, Blocked, "read")]);
}

/// In a pipeline whose first program has exited, the reader is not the leader of its group.
#[test]
fn the_reader_need_not_lead_its_group() {
    let row =
        row(&["bash", "--norc"], Plain, Blocked, "read").typed(&["true | cat /dev/tty | sort\n"]);
    let (_terminal, probe) = row.play().unwrap();
    assert_ne!(probe.reader.unwrap().pid, probe.foreground);
}

#[test]
fn a_thread_that_reads_is_found() {
    let script = "import threading, time\nthreading.Thread(target=input).start()\ntime.sleep(100)";
    let (_terminal, probe) = row(&["python3", "-c", script], Plain, Blocked, "read")
        .play()
        .unwrap();
    let reader = probe.reader.unwrap();
    assert_ne!(reader.tid, reader.pid);
}

#[test]
fn secrets_are_read_in_canonical_mode_without_echo() {
    let folder = Folder::new("secrets");
    let key = format!("{}/key", folder.0);
    play_all(&[
        row(&["bash", "-c", "read -s x"], Hidden, Blocked, "read"),
        row(&["bash", "--norc"], Hidden, Blocked, "read").typed(&["read -s x\n"]),
        row(
            &["python3", "-c", "import getpass; getpass.getpass()"],
            Hidden,
            Blocked,
            "read",
        ),
        row(&["bash", "-c", "stty -echo; cat"], Hidden, Blocked, "read"),
        row(
            &["setsid", "-w", "bash", "-c", "read -s x"],
            Hidden,
            Blocked,
            "read",
        ),
        row(&["openssl", "passwd"], Hidden, Blocked, "read"),
        row(&["ssh-keygen", "-q", "-f", &key], Hidden, Blocked, "read"),
    ]);
}

/// A program of another user, or one that forbids being inspected, is visible only to root.
#[test]
fn a_protected_program_is_either_seen_or_said_to_be_denied() {
    let protect =
        "import ctypes, getpass; ctypes.CDLL(None).prctl(4, 0); getpass.getpass('secret')";
    for argv in [
        ["python3", "-c", protect].as_slice(),
        &["su", "-s", "/bin/sh", "-c", "su", "nobody"],
    ] {
        let skipped = !is_installed(argv[0]);
        if skipped {
            eprintln!("skipped, not installed: {}", argv[0]);
            continue;
        }
        let mut terminal = TestTerminal::start(argv);
        eventually(|| {
            let probe = terminal.probe();
            let denied =
                probe.verdict == Unknown && probe.how == "denied" && probe.hidden_prompt_likely;
            let seen = probe.verdict == Blocked && probe.how == "read" && geteuid().is_root();
            if probe.line.hides_input() && (denied || seen) {
                Ok(())
            } else {
                Err(format!("{argv:?}: {probe:?}"))
            }
        });
    }
}

#[test]
fn raw_readers_are_blocked() {
    play_all(&[
        row(&["bash", "-c", "read -s -n1 x"], Raw, Blocked, "read"),
        row(&["less", "/etc/passwd"], Raw, Blocked, "read"),
        row(&["mksh"], Raw, Blocked, "read"),
        row(&["zsh", "-f"], Raw, Blocked, "read"),
    ]);
}

#[test]
fn line_editors_accept() {
    play_all(&[
        row(&["bash", "--norc"], Raw, Accepts, "select"),
        row(&["bash", "-c", "read -e x"], Raw, Accepts, "select"),
        row(&["bash", "-c", "read -t 100 x"], Plain, Accepts, "select"),
        row(&["bash", "--norc"], Raw, Accepts, "select")
            .typed(&["true\n", "echo do''ne\n"])
            .after("done"),
        row(&["sqlite3"], Raw, Accepts, "select"),
        row(&["bc", "-q"], Raw, Accepts, "select"),
    ]);
}

/// Which of the two calls the interactive Python uses depends on its version.
#[test]
fn an_interactive_python_accepts() {
    let mut terminal = TestTerminal::start(&["python3", "-q"]);
    eventually(|| {
        let probe = terminal.probe();
        let right = probe.verdict == Accepts
            && ["select", "poll"].contains(&&*probe.how)
            && !probe.line.echo;
        if right {
            Ok(())
        } else {
            Err(format!("{probe:?}\n{}", terminal.output()))
        }
    });
}

#[test]
fn full_screen_programs_accept() {
    play_all(&[
        row(&["vim", "-u", "NONE"], Raw, Accepts, "select"),
        row(&["top"], Raw, Accepts, "select"),
        row(&["htop"], Raw, Accepts, "poll"),
        row(&["gdb", "-q", "-nx"], Raw, Accepts, "poll"),
        row(&["more", "/etc/services"], Raw, Accepts, "poll"),
        row(
            &["script", "-q", "-c", "sleep 100", "/dev/null"],
            Raw,
            Unknown,
            "relay",
        ),
    ]);
}

#[test]
fn a_program_that_passes_input_on_is_not_known_to_wait() {
    let folder = Folder::new("relay");
    let ssh = format!("{}/ssh", folder.0);
    std::os::unix::fs::symlink("/bin/cat", &ssh).unwrap();
    let ssh = ssh.as_str();
    let raw = format!("stty raw -echo; exec {ssh}");
    let spawn = "import pty; pty.spawn(['sleep', '100'])";
    play_all(&[
        row(&["sh", "-c", &raw], Raw, Unknown, "relay"),
        row(&["python3", "-c", spawn], Raw, Unknown, "relay"),
        // Its own question, before it is connected.
        row(&[ssh], Plain, Blocked, "read"),
    ]);
}

#[test]
fn a_relay_hides_input_if_the_terminal_of_its_program_does() {
    for (program, hides) in [("read -s x", true), ("read x", false), ("read -e x", false)] {
        let inner = format!("bash -c '{program}'");
        let row = row(
            &["script", "-q", "-c", &inner, "/dev/null"],
            Raw,
            Unknown,
            "relay",
        );
        let Some((mut terminal, _)) = row.play() else {
            return;
        };
        eventually(|| match terminal.probe() {
            probe if probe.hidden_prompt_likely == hides => Ok(()),
            probe => Err(format!("{program}: {probe:?}")),
        });
    }
}

#[test]
fn a_program_that_is_there_to_ask_for_secrets_hides_input() {
    let folder = Folder::new("secret");
    let pinentry = format!("{}/pinentry-tty", folder.0);
    std::os::unix::fs::symlink("/bin/cat", &pinentry).unwrap();
    let raw = format!("stty raw -echo; exec {pinentry}");
    let asks = row(&["sh", "-c", &raw], Raw, Blocked, "read");
    let (_terminal, probe) = asks.play().unwrap();
    assert!(probe.hidden_prompt_likely);
}

#[test]
fn what_another_process_may_be_doing_with_the_terminal_is_not_known() {
    let socket = "import os, socket, sys, tty; a, b = socket.socketpair(); mode = sys.argv[1]\n\
        if mode == 'raw': tty.setraw(0)\nprint('up'); os.read(a.fileno(), 1)";
    play_all(&[
        row(
            &["python3", "-uc", socket, "raw"],
            Raw,
            Unknown,
            "elsewhere",
        )
        .after("up"),
        row(&["python3", "-uc", socket, "plain"], Plain, No, "none").after("up"),
    ]);
}

#[test]
fn event_loops_accept() {
    let asyncio =
        "import asyncio; l = asyncio.new_event_loop(); l.add_reader(0, print); l.run_forever()";
    play_all(&[
        row(&["python3", "-c", asyncio], Plain, Accepts, "epoll"),
        row(&["node", "-i"], Raw, Accepts, "epoll"),
        row(
            &["node", "-e", "process.stdin.resume()"],
            Plain,
            Accepts,
            "epoll",
        ),
    ]);
}

#[test]
fn what_else_could_wake_the_reader_is_told() {
    let poll = "import select; p = select.poll(); p.register(0, 1); p.poll()";
    let socket = "import select, socket as s; a, b = s.socketpair(); select.select([0, a], [], [])";
    let timer =
        "process.stdin.setRawMode(true); process.stdin.resume(); setInterval(() => {}, 60000)";
    let cases = [
        (
            row(&["python3", "-c", poll], Plain, Accepts, "poll"),
            false,
            false,
        ),
        (
            row(&["python3", "-c", socket], Plain, Accepts, "select"),
            true,
            false,
        ),
        (
            row(&["node", "-e", timer], Raw, Accepts, "epoll"),
            false,
            true,
        ),
    ];
    for (row, socket_in_set, has_timeout) in cases {
        let Some((_terminal, probe)) = row.play() else {
            continue;
        };
        let reader = probe.reader.unwrap();
        assert_eq!(
            (reader.socket_in_set, reader.has_timeout),
            (socket_in_set, has_timeout),
            "{:?}",
            row.argv
        );
    }
}

#[test]
fn programs_that_wait_for_something_else_do_not_count() {
    let socket =
        "import os, socket; a, b = socket.socketpair(); print('up'); os.read(a.fileno(), 1)";
    let cat = "import subprocess, socket; a, b = socket.socketpair(); print('up')\n\
        subprocess.run(['cat'], stdin=a)";
    let select = "import select, os; r, w = os.pipe(); print('up'); select.select([r], [], [0])";
    let other = "import os, pty; m, s = pty.openpty(); print('up'); os.read(s, 1)";
    let inner = "import os, pty, time\npid, fd = pty.fork()\n\
        if not pid: os.execlp('cat', 'cat', '/dev/tty')\nprint('up'); time.sleep(100)";
    play_all(&[
        row(&["sleep", "100"], Plain, No, "none"),
        row(
            &["bash", "-c", "echo up; while :; do :; done"],
            Plain,
            No,
            "none",
        )
        .after("up"),
        row(&["bash", "-c", "sleep 100 | cat"], Plain, No, "none"),
        row(&["python3", "-uc", socket], Plain, No, "none").after("up"),
        row(&["python3", "-uc", cat], Plain, No, "none").after("up"),
        row(&["python3", "-uc", other], Plain, No, "none").after("up"),
        row(&["python3", "-uc", inner], Plain, No, "none").after("up"),
        row(&["python3", "-uc", select], Plain, No, "none").after("up"),
        row(
            &[
                "node",
                "-e",
                "console.log('up'); setInterval(() => {}, 60000)",
            ],
            Plain,
            No,
            "none",
        )
        .after("up"),
    ]);
}

#[test]
fn what_a_program_runs_decides() {
    let script = "vim -u NONE -c '!echo up; sleep 100'";
    play_all(&[
        row(&["bash", "--norc"], Plain, No, "none")
            .typed(&["echo u''p; sleep 100\n"])
            .after("up"),
        row(&["bash", "--norc"], Plain, No, "none")
            .typed(&["echo u''p; sleep 100 | cat\n"])
            .after("up"),
        row(&["gdb", "-q", "-nx", "sleep"], Plain, No, "none")
            .typed(&["run 100\n"])
            .after("Starting"),
        row(&["vim", "-u", "NONE"], Plain, No, "none")
            .typed(&[":!echo u''p; sleep 100\r"])
            .after("up"),
        row(&["bash", "-c", script], Plain, No, "none").after("up"),
    ]);
}

#[test]
fn a_shell_takes_over_from_stopped_and_background_jobs() {
    let stop = &["cat\n", "\u{1a}"];
    let resume = &["cat\n", "\u{1a}", "fg\n"];
    play_all(&[
        row(&["bash", "--norc"], Raw, Accepts, "select")
            .typed(stop)
            .after("Stopped"),
        row(&["bash", "--norc"], Plain, Blocked, "read")
            .typed(resume)
            .after("Stopped"),
        row(&["bash", "--norc"], Raw, Accepts, "select").typed(&["cat &\n"]),
        row(&["bash", "--norc"], Raw, Accepts, "select").typed(&["sleep 100 &\n"]),
        row(&["bash", "--norc"], Plain, No, "none")
            .typed(&["cat &\n", "echo u''p; sleep 100\n"])
            .after("up"),
    ]);
}

#[test]
fn a_terminal_multiplexer_tells_only_about_its_client() {
    let socket = format!("ccd-probe-{}", std::process::id());
    let row = row(
        &["tmux", "-L", &socket, "-f", "/dev/null", "new", "cat"],
        Raw,
        Unknown,
        "elsewhere",
    )
    .after("[0]");
    row.play();
}

#[test]
fn a_stopped_reader_does_not_wait_until_it_goes_on() {
    let poll = "import select; p = select.poll(); p.register(0, 1); p.poll()";
    let rows = [
        row(&["cat"], Plain, Blocked, "read"),
        row(&["python3", "-c", poll], Plain, Accepts, "poll"),
    ];
    for row in rows {
        let how = row.how;
        let (mut terminal, _) = row.play().unwrap();
        let leader = Pid::from_raw(terminal.leader()).unwrap();

        kill_process(leader, Signal::STOP).unwrap();
        let probe = eventually(|| match terminal.probe() {
            probe if probe.how == "stopped" => Ok(probe),
            probe => Err(format!("{probe:?}")),
        });
        assert_eq!((probe.verdict, probe.activity()), (No, "stopped"));

        // A poll that continues is another call to the kernel, with the same arguments.
        kill_process(leader, Signal::CONT).unwrap();
        eventually(|| match terminal.probe() {
            probe if probe.how == how && probe.activity() == "blocked reading its terminal" => {
                Ok(())
            }
            probe => Err(format!("{probe:?}")),
        });
    }
}

#[test]
fn a_terminal_whose_program_has_ended_waits_for_nothing() {
    let mut terminal = TestTerminal::start(&["bash", "-c", "exit 3"]);
    eventually(|| match terminal.probe() {
        probe if probe.verdict == No && probe.foreground == 0 => Ok(()),
        probe => Err(format!("{probe:?}")),
    });
}

/// Right after a write, the reader often was not woken yet. This must be visible from the switches alone, without the
/// time.
#[test]
fn a_reader_that_was_just_given_input_is_never_fresh() {
    let script = "import sys, time\nwhile sys.stdin.readline(): time.sleep(0.1)";
    let mut terminal = TestTerminal::start(&["python3", "-c", script]);
    for _ in 0..20 {
        let before = wait_for_reader(&mut terminal, None);
        terminal.send("line\n");
        let typed = LastTyped::now(b"line\n", before.reader);
        let is_busy = |probe: &Probe| probe.verdict == No;
        eventually(|| {
            let probe = terminal.probe();
            let believed = fresh(&typed, &probe);
            assert!(!believed || is_busy(&probe), "stale: {before:?} {probe:?}");
            if is_busy(&probe) {
                Ok(())
            } else {
                Err(format!("{probe:?}"))
            }
        });
    }
}
