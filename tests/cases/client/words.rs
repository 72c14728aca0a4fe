//! The words of the command line: help without any, words of earlier versions, and words of other programs.

use super::named;
use crate::support::{Ccctl, Daemon, eventually};

#[test]
fn without_a_word_there_is_help() {
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
    assert!(
        ran.stderr.contains("Usage: ccctl session"),
        "{}",
        ran.stderr
    );
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
fn words_of_earlier_versions_work_and_are_not_in_the_help() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    for line in [
        "session create --name cat -- cat -u",
        "session wait cat --input",
        "session send cat hello --expect hello",
        "session expect cat (?s)hello.*hello --from 0",
        "session read cat --lines 1",
        "session screen cat",
        "session tail cat -n 1",
        "session list --all",
        "session ls",
        "session close cat",
        "session subscribe cat",
        "chain parallel true",
        "proxy true",
        "probe true",
        "learn --help",
        "map --help",
        "fuzz --help",
        "daemon log",
        "daemon log --level info",
        "rec --name {program}-{random} --tapes tapes true",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let ran = ccctl.run_in(daemon.home(), &words);
        assert!(ran.code != Some(2), "{line}: {ran:?}");
    }
    let help = ccctl.ok(&["--help"]);
    for old in ["proxy", "probe", "fuzz"] {
        assert!(!help.contains(&format!("  {old} ")), "{help}");
    }
}

#[test]
fn a_session_gets_another_name_and_several_are_closed_at_once() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    for name in ["one", "two"] {
        ccctl.ok(&["new", "--name", name, "--", "cat"]);
    }
    ccctl.ok(&["session", "rename", "one", "first"]);
    let ran = ccctl.run(&["session", "rename", "first", "two"]);
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    let listed = ccctl.ok(&["ls"]);
    assert!(
        listed.contains(" first ") && !listed.contains(" one "),
        "{listed}"
    );
    let ran = ccctl.run(&["close", "nobody", "first", "two"]);
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    let ended = "ended by signal 1 (HUP)";
    assert_eq!(ran.stdout, format!("first: {ended}\ntwo: {ended}\n"));
    assert_eq!(ccctl.ok(&["ls"]), "");
    for _ in 0..2 {
        ccctl.ok(&["new", "--", "cat"]);
    }
    ccctl.ok(&["close", "--all"]);
    assert_eq!(ccctl.ok(&["ls"]), "");
    assert_eq!(ccctl.run(&["close", "--all", "one"]).code, Some(2));
}

#[test]
fn text_and_keys_are_typed_in_one_send() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["new", "--name", "cat", "--", "cat", "-u"]);
    let words = [
        "send",
        "cat",
        "a b",
        "--keys",
        "c,Enter",
        "--expect",
        "(?s)a bc.*a bc",
    ];
    ccctl.ok(&words);
}
