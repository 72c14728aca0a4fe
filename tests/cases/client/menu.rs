//! `ccctl` without arguments, and the short forms.

use super::{every_way_out, named, walk};
use crate::support::session::lacks;
use crate::support::{Ccctl, Daemon, eventually};

#[test]
fn the_menu_shows_and_runs_commands() {
    let daemon = Daemon::start();
    let menu = daemon.open_client(&[], (24, 100));
    menu.shows("what do you want to work with?");
    walk(
        &menu,
        &[
            ("<Enter>", "ccctl › sessions"),
            // Starts a program, step by step.
            ("3", "a name, or nothing"),
            ("my-cat", "my-cat"),
            ("<Enter>", "program and arguments"),
            (
                "cat -u 'a b'",
                "$ ccctl session create --name my-cat -- cat -u 'a b'",
            ),
            ("<C-u>", "program and arguments"),
            ("cat -u", "--name my-cat -- cat -u"),
            ("<Enter>", "(done; Enter: menu, q: quit)"),
        ],
    );
    assert!(!menu.screen().alternate);
    menu.shows("$ ccctl session create --name my-cat -- cat -u");
    let cat = daemon.id_of("my-cat").unwrap();
    walk(
        &menu,
        &[
            ("<Enter>", "ccctl › sessions   what do you want to do?"),
            // Types into it, chosen from the list, in which the menu itself is the first session.
            ("7", "which session?"),
            ("", "my-cat"),
            ("2", "line to type"),
            ("hello there", "hello there"),
            ("<Enter>", "$ ccctl session send my-cat -- 'hello there'"),
        ],
    );
    eventually("it is typed", || {
        let text = Ccctl::new(&daemon).ok(&["session", "read", &cat]);
        text.contains("hello there").then_some(())
    });
    eventually("it is done", || {
        let lines = menu.screen().lines;
        let done = lines.iter().filter(|line| line.starts_with("(done;"));
        (done.count() == 2).then_some(())
    });
    walk(
        &menu,
        &[
            ("<Enter>", "what do you want to do?"),
            // Back.
            ("<Left>", "what do you want to work with?"),
            // What a command fails with is seen.
            ("1", "› sessions"),
            ("3", "› start"),
            ("<Enter>", "program and arguments"),
            ("no-such-program", "no-such-program"),
            ("<Enter>", "(exit status: 1; Enter: menu, q: quit)"),
        ],
    );
    menu.text("q");
    assert_eq!(menu.ended().exitstatus, Some(0));
    assert!(!menu.screen().alternate);
}

#[test]
fn every_way_out_of_the_menu_leaves_the_terminal_as_it_was() {
    if lacks(&["bash", "stty"]) {
        return;
    }
    let ways = [
        ("q", 0),
        ("<Escape>", 0),
        ("<C-c>", 0),
        ("<C-d>", 0),
        ("TERM", 143),
    ];
    every_way_out("", "what do you want to work with?", &ways);
}

#[test]
fn without_a_terminal_there_is_help() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    for words in [&[][..], &["-v"], &["--no-start"]] {
        let ran = ccctl.run(words);
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{words:?}");
        assert!(ran.stdout.contains("Usage: ccctl"), "{}", ran.stdout);
    }
    for (words, says) in [
        (&["--json"][..], "ccctl: the subcommand is missing"),
        (
            &["--json", "session"],
            "ccctl session: the subcommand is missing",
        ),
    ] {
        let ran = ccctl.run(words);
        assert_eq!(ran.code, Some(2), "{words:?}");
        let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(says), "{message}");
    }
    let ran = ccctl.run(&["session"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("session [OPTIONS]"), "{}", ran.stderr);
}

#[test]
fn a_session_is_attached_to_from_top() {
    let daemon = Daemon::start();
    let cat = named(&daemon, "cat", &["cat"]);
    let top = daemon.open_client(&["top", "--interval", "0.1"], (24, 100));
    top.shows("ccctl top  2 live sessions");
    top.text("a");
    eventually("it is attached", || {
        (!cat.now().attached.is_empty()).then_some(())
    });
    top.text("typed here");
    top.keys(&["Enter"]);
    cat.expect("typed here\n.*typed here");
    top.shows("typed here");
    top.keys(&["C-\\"]);
    top.text("d");
    top.shows("detached from cat");
    top.shows("ccctl top  2 live sessions");
    assert!(top.screen().alternate);
    assert!(cat.now().attached.is_empty());
    top.text("q");
    assert_eq!(top.ended().exitstatus, Some(0));
}

#[test]
fn short_forms_are_the_same_as_the_verbs() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let cat = daemon.open("cat", &[]);
    ccctl.ok(&["session", "wait", cat.id(), "--input"]);
    // Ages may differ.
    let words = |text: &str| {
        let mut words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
        words.drain(4..6);
        words
    };
    let [short, long] =
        [&["ls", "-a"][..], &["session", "list", "--all"]].map(|line| ccctl.ok(line));
    assert_eq!(words(&short), words(&long));
    let ran = ccctl.run(&["attach", "nobody"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("must be a terminal"), "{}", ran.stderr);
}
