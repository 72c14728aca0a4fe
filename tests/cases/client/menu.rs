//! `ccctl` without arguments, and the short forms.

use crate::support::session::{lacks, program};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::session::{SessionCreateParams, SessionSignal, SessionSignalParams};

#[test]
fn the_menu_shows_and_runs_commands() {
    let daemon = Daemon::start();
    let menu = daemon.open_client(&[], (24, 100));
    menu.shows("what do you want to work with?");
    menu.keys(&["Enter"]);
    menu.shows("ccctl › sessions");
    menu.shows("$ ccctl session list");
    // Starts a program, step by step.
    menu.text("3");
    menu.shows("a name, or nothing");
    menu.text("my-cat");
    menu.keys(&["Enter"]);
    menu.shows("program and arguments");
    menu.text("cat -u 'a b'");
    menu.shows("$ ccctl session create --name my-cat -- cat -u 'a b'");
    menu.keys(&["C-u"]);
    menu.text("cat -u");
    menu.keys(&["Enter"]);
    menu.shows("(done; Enter: menu, q: quit)");
    assert!(!menu.screen().alternate);
    menu.shows("$ ccctl session create --name my-cat -- cat -u");
    let cat = daemon.id_of("my-cat").unwrap();
    menu.keys(&["Enter"]);
    menu.shows("ccctl › sessions   what do you want to do?");
    // Types into it, chosen from the list.
    menu.text("7");
    menu.shows("which session?");
    menu.shows("my-cat");
    // The first session is that of the menu itself.
    menu.text("2");
    menu.shows("line to type");
    menu.text("hello there");
    menu.keys(&["Enter"]);
    menu.shows("$ ccctl session send my-cat -- 'hello there'");
    eventually("it is typed", || {
        let text = Ccctl::new(&daemon).ok(&["session", "read", &cat]);
        text.contains("hello there").then_some(())
    });
    eventually("it is done", || {
        let lines = menu.screen().lines;
        let done = lines.iter().filter(|line| line.starts_with("(done;"));
        (done.count() == 2).then_some(())
    });
    menu.keys(&["Enter"]);
    menu.shows("what do you want to do?");
    // Back.
    menu.keys(&["Left"]);
    menu.shows("what do you want to work with?");
    // What a command fails with is seen.
    menu.text("1");
    menu.shows("› sessions");
    menu.text("3");
    menu.shows("› start");
    menu.keys(&["Enter"]);
    menu.text("no-such-program");
    menu.keys(&["Enter"]);
    menu.shows("no-such-program");
    menu.shows("(exit status: 1; Enter: menu, q: quit)");
    menu.text("q");
    assert_eq!(menu.ended().exitstatus, Some(0));
    assert!(!menu.screen().alternate);
}

#[test]
fn every_way_out_of_the_menu_leaves_the_terminal_as_it_was() {
    if lacks(&["bash", "stty"]) {
        return;
    }
    let daemon = Daemon::start();
    let mut params = program(&daemon, "bash", &["--norc", "--noprofile"]);
    let client = env!("CARGO_BIN_EXE_ccctl_under_test").to_owned();
    let home = daemon.home().display().to_string();
    for (name, value) in [("CCCTL", client), ("CCD_HOME", home)] {
        params.env.insert(name.to_owned(), value);
    }
    let bash = daemon.open_with(&params);
    let modes = || {
        bash.ask("stty -g", r"(?m)^([0-9a-f]+(:[0-9a-f]+)+)$")
            .matched
    };
    bash.expect("ready> ");
    let before = modes();
    let terminate = || {
        let params = SessionSignalParams {
            session: bash.id().to_owned(),
            signal: "TERM".to_owned(),
        };
        daemon.call::<SessionSignal>(&params).unwrap();
    };
    let ways: [(&dyn Fn(), i32); 5] = [
        (&|| drop(bash.text("q")), 0),
        (&|| drop(bash.keys(&["Escape"])), 0),
        (&|| drop(bash.keys(&["C-c"])), 0),
        (&|| drop(bash.keys(&["C-d"])), 0),
        (&terminate, 143),
    ];
    for (leave, status) in ways {
        bash.line("\"$CCCTL\"");
        bash.shows("what do you want to work with?");
        leave();
        eventually("the menu exits", || {
            (!bash.screen().alternate).then_some(())
        });
        bash.ask("echo left with $?", &format!("(?m)^left with {status}$"));
        assert_eq!(modes(), before);
    }
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
    let cat = daemon.open_with(&SessionCreateParams {
        name: Some("cat".to_owned()),
        ..program(&daemon, "cat", &[])
    });
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
    let words = |text: String| -> Vec<String> {
        let columns = text.split_whitespace().map(str::to_owned);
        // Ages may differ.
        columns
            .enumerate()
            .filter(|(at, _)| ![4, 5].contains(at))
            .map(|(_, word)| word)
            .collect()
    };
    assert_eq!(
        words(ccctl.ok(&["ls", "-a"])),
        words(ccctl.ok(&["session", "list", "--all"]))
    );
    let ran = ccctl.run(&["attach", "nobody"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("must be a terminal"), "{}", ran.stderr);
}
