//! What is told of tapes that cannot be used, and of words that mean none.

use crate::support::{Ccctl, Daemon, eventually};
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn what_is_not_there_is_told_as_that() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    fs::create_dir_all(&root).unwrap();
    symlink(daemon.home().join("nowhere"), root.join("x.json5")).unwrap();
    let tapes = root.to_str().unwrap();
    let told = |words: &[&str]| {
        let ran = Ccctl::new(&daemon).run(&[&["tape"], words, &["--tapes", tapes]].concat());
        (ran.code, format!("{}{}", ran.stdout, ran.stderr))
    };
    for words in [&["list"][..], &["validate"], &["show", "x"]] {
        let (_, text) = told(words);
        assert!(
            text.contains("is a link that leads to nothing"),
            "{words:?}: {text}"
        );
    }
    // Likewise where it comes while the folder is watched.
    symlink(daemon.home().join("nowhere"), root.join("y.json5")).unwrap();
    eventually("the link is seen", || {
        let (_, text) = told(&["list"]);
        (text.matches("is a link that leads to nothing").count() == 2).then_some(())
    });
    let missing = daemon.home().join("nosuch.json5");
    let missing = missing.to_str().unwrap();
    let (code, text) = told(&["show", missing]);
    assert_eq!(code, Some(4), "{text}");
    assert!(
        text.ends_with(&format!("there is no file \"{missing}\"\n")),
        "{text}"
    );
    let (code, text) = told(&["play", "nosuch"]);
    assert_eq!(code, Some(4), "{text}");
    assert!(text.starts_with("ccctl: tape.play: "), "{text}");
    let cast = daemon.home().join("a.cast");
    fs::write(&cast, "{\"version\": 2, \"width\": 80, \"height\": 24}\n").unwrap();
    let (_, text) = told(&["import", cast.to_str().unwrap()]);
    assert!(text.contains("behind --"), "{text}");
}

#[test]
fn long_texts_of_tapes_are_told_in_short() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    fs::create_dir_all(&root).unwrap();
    let long = "x".repeat(5 << 20);
    fs::write(
        root.join("good.json5"),
        format!("{{ meta: {{ program: \"{long}\", args: [\"{long}\"] }} }}"),
    )
    .unwrap();
    fs::write(
        root.join("bad.json5"),
        format!("{{ meta: {{ program: {long} }} }}"),
    )
    .unwrap();
    for verb in ["list", "validate"] {
        let ran = Ccctl::new(&daemon).run(&["tape", verb, "--tapes", root.to_str().unwrap()]);
        let len = ran.stdout.len() + ran.stderr.len();
        assert!(len < 10_000, "{verb}: {len}");
    }
}
