//! Tapes of a program on a terminal and over pipes are kept apart, in recording and in replay.

use crate::support::client::{CCCTL, Ran, person};
use crate::support::conversation::tapes;
use crate::support::session::OpenSession;
use crate::support::{Ccctl, Daemon, assert_has, eventually, executable};
use std::path::Path;

/// A person's shell; each command is waited for.
struct Shell<'a> {
    person: OpenSession<'a>,
    home: &'a Path,
    lines: std::cell::Cell<usize>,
}

impl<'a> Shell<'a> {
    fn new(daemon: &'a Daemon) -> Self {
        let shell = Self {
            person: person(daemon, 30, 150),
            home: daemon.home(),
            lines: std::cell::Cell::default(),
        };
        let script = "#!/bin/sh\necho ready for it\ncat\n";
        executable::write_script(&daemon.home().join("ask"), script);
        shell.run(&format!("cd '{}'", daemon.home().display()));
        for verb in ["rec", "play"] {
            let ccctl = format!("{verb}() {{ '{CCCTL}' {verb} --tapes t \"$@\"; }}");
            shell.run(&ccctl);
        }
        shell
    }

    fn run(&self, line: &str) {
        self.person.line(line);
        self.is_done();
    }

    fn is_done(&self) {
        let number = self.lines.get() + 1;
        self.lines.set(number);
        self.person.line(&format!("echo do'n'e{number}."));
        self.person.shows(&format!("done{number}."));
    }

    /// Runs a command and returns its output on both streams.
    fn prints(&self, line: &str) -> [String; 2] {
        self.run(&format!("{{ {line}; }} >out 2>err"));
        ["out", "err"].map(|name| std::fs::read_to_string(self.home.join(name)).unwrap())
    }

    /// Runs the program in the terminal, and types this line into it.
    fn in_terminal(&self, verb: &str, line: &str) {
        // Removes the output of an earlier run.
        self.run("clear");
        self.person.line(&format!("{verb} -- ./ask"));
        self.person.shows("ready for it");
        self.person.line(line);
        eventually("the line and its answer appear", || {
            let lines = self.person.screen().lines;
            let shown = lines.iter().filter(|shown| shown.trim_end() == line);
            (shown.count() == 2).then_some(())
        });
        self.person.keys(&["C-d"]);
        eventually("the shell shows its prompt again", || {
            let lines = self.person.screen().lines;
            let last = lines
                .iter()
                .map(|line| line.trim())
                .rfind(|line| !line.is_empty());
            (last == Some("person>")).then_some(())
        });
    }
}

#[test]
fn a_recording_between_pipes_is_its_own_beside_one_in_a_terminal() {
    let daemon = Daemon::start();
    let shell = Shell::new(&daemon);
    shell.in_terminal("rec", "one");
    let [_, told] = shell.prints("echo two | play -- ./ask");
    let how = "differs    it was recorded in a terminal, but now runs with pipes";
    assert!(told.contains(how), "{told}");
    assert_has(&told, ["record it with pipes, with `ccctl rec --tapes"]);
    let [out, told] = shell.prints("echo one | rec -- ./ask");
    assert_eq!(out, "ready for it\none\n");
    assert!(told.contains("recorded 3 exchanges"), "{told}");
    let [out, _] = shell.prints("echo one | play -- ./ask");
    assert_eq!(out, "ready for it\none\n");
    let [_, told] = shell.prints("echo one | rec -- ./ask");
    assert!(told.contains("recorded nothing"), "{told}");
    shell.in_terminal("play", "one");
    let tapes = tapes(&daemon.home().join("t"));
    assert_eq!(tapes.len(), 2);
    for tape in tapes {
        let text = std::fs::read_to_string(tape).unwrap();
        assert_eq!(text.matches("pre: {").count(), 3, "{text}");
    }
}

#[test]
fn run_with_tapes_gives_its_program_pipes_where_rec_and_play_do() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let tapes = daemon.home().join("t");
    let script = "test -t 1 && echo terminal || echo pipe; echo wrong >&2; cat";
    let run = |options: &[&str]| -> Ran {
        let program = ["--", "sh", "-c", script];
        ccctl.run(&[options, &program].concat())
    };
    let tapes = tapes.to_str().unwrap();
    let recorded = run(&["run", "--tapes", tapes, "--record", "new"]);
    assert_eq!(recorded.stdout, "pipe\n", "{recorded:?}");
    assert!(recorded.stderr.starts_with("wrong\n"), "{recorded:?}");
    for verb in ["play", "run"] {
        let played = run(&[verb, "--tapes", tapes]);
        assert_eq!(played.stdout, "pipe\n", "{verb}: {played:?}");
        assert!(played.stderr.starts_with("wrong\n"), "{verb}: {played:?}");
    }
    let again = run(&["rec", "--tapes", tapes]);
    assert!(again.stderr.contains("recorded nothing"), "{again:?}");
    assert_eq!(run(&["run"]).stdout, "terminal\nwrong\n");
}
