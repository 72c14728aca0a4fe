//! Errors about tapes that cannot be used, and about words that match no tape.

use crate::support::client::Ran;
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::json;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
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
        assert!(text.contains("is a dangling link"), "{words:?}: {text}");
    }
    // The same if it appears while the directory is watched.
    symlink(daemon.home().join("nowhere"), root.join("y.json5")).unwrap();
    eventually("the link is noticed", || {
        let (_, text) = told(&["list"]);
        (text.matches("is a dangling link").count() == 2).then_some(())
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
    assert!(text.contains("after --"), "{text}");
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

#[test]
fn no_number_of_warnings_hides_what_is_wrong() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    fs::create_dir_all(&root).unwrap();
    // Each of these tapes has a warning, because it contains only the program.
    for number in 0..1_100 {
        let tape = format!("{{ meta: {{ program: \"p{number}\" }} }}");
        fs::write(root.join(format!("a{number}.json5")), tape).unwrap();
    }
    let validated = || {
        let ran = Ccctl::new(&daemon).run(&["tape", "validate", "--tapes", root.to_str().unwrap()]);
        (ran.code, ran.stdout)
    };
    let (code, text) = validated();
    assert_eq!(code, Some(0), "{text}");
    fs::write(root.join("zzz.json5"), "{").unwrap();
    let (code, text) = validated();
    assert_eq!(code, Some(1), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("zzz.json5:1:2: "), "{}", lines[0]);
    assert_eq!(lines.len(), 1_001);
    let params = json!({ "root": root });
    let reply = daemon.call_value("tape.validate", &params).unwrap();
    let left_out = reply["left_out"].as_u64().unwrap();
    assert!(left_out > 100, "{left_out}");
    assert_eq!(lines[1_000], format!("{left_out} more problems not shown"));
}

#[test]
fn a_name_that_is_no_text_is_told_as_that() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    fs::create_dir_all(&root).unwrap();
    let name = OsStr::from_bytes(b"odd-\xff.json5");
    fs::write(root.join(name), "{ meta: { program: \"p\" } }").unwrap();
    for verb in ["list", "validate", "redact"] {
        let ran = Ccctl::new(&daemon).run(&["tape", verb, "--tapes", root.to_str().unwrap()]);
        let text = format!("{}{}", ran.stdout, ran.stderr);
        assert!(text.contains("its name is not UTF-8; rename it"), "{text}");
        assert!(!text.contains("there is no tape"), "{text}");
    }
}

#[test]
fn a_file_that_is_named_is_the_one_that_is_told_of() {
    let daemon = Daemon::start();
    let folder = daemon.home().join("bad");
    fs::create_dir_all(folder.join("folder.json5")).unwrap();
    symlink("loop", folder.join("loop")).unwrap();
    let told = |words: &[&OsStr]| {
        let mut command = Ccctl::new(&daemon).command(&[]);
        let ran = command.args(words).current_dir(daemon.home());
        Ran::of(ran.output().unwrap())
    };
    for (file, what) in [
        ("bad/folder.json5", "is a directory, not a tape"),
        ("bad/nosuch.json5", "there is no file \"bad/nosuch.json5\""),
    ] {
        let ran = told(&["tape", "validate", file].map(OsStr::new));
        let text = format!("{}{}", ran.stdout, ran.stderr);
        assert!(text.contains(what), "{file}: {text}");
        assert_ne!(ran.code, Some(0));
    }
    let ran = told(&["tape", "list", "--tapes", "bad/loop"].map(OsStr::new));
    assert_ne!(ran.code, Some(0), "{}", ran.stderr);
    let words = [b"rec", &b"--"[..], b"echo", b"\xff"].map(OsStr::from_bytes);
    let ran = told(&words);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains(r#"the argument "\xFF" is not UTF-8"#),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_directory_above_the_current_one_is_meant_as_the_shell_means_it() {
    let daemon = Daemon::start();
    let home = daemon.home().canonicalize().unwrap();
    fs::create_dir_all(home.join("real/deep")).unwrap();
    symlink("real/deep", home.join("link")).unwrap();
    let run = |words: &[&str]| {
        let mut command = Ccctl::new(&daemon).command(words);
        let ran = Ran::of(command.current_dir(home.join("real")).output().unwrap());
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.stderr);
        ran.stdout
    };
    let cast =
        "{\"version\": 2, \"width\": 80, \"height\": 24, \"command\": \"a\"}\n[0, \"o\", \"a\"]\n";
    fs::write(home.join("a.cast"), cast).unwrap();
    for (given, meant) in [
        ("../new", "new"),
        ("deep/../newer/./tapes", "real/newer/tapes"),
        // `..` after a link leads to the parent of its target.
        ("../link/../newest", "real/newest"),
    ] {
        let id = run(&["tape", "import", "--tapes", given, "../real/../a.cast"]);
        let tape = home.join(meant).join(id.trim_end()).with_extension("json5");
        assert!(tape.is_file(), "{given}: {}", tape.display());
        run(&["tape", "list", "--tapes", given]);
        run(&["tape", "validate", "--tapes", given, id.trim_end()]);
    }
    let rec = [
        "--tapes",
        "../recorded",
        "--no-summary",
        "--",
        "sh",
        "-c",
        "echo one",
    ];
    assert_eq!(run(&[&["rec"], &rec[..]].concat()), "one\n");
    assert_eq!(run(&[&["play"], &rec[..]].concat()), "one\n");
    assert!(home.join("recorded/sh").is_dir());
    let words = ["run", "--cwd", "../link/..", "--", "pwd"];
    assert_eq!(run(&words).trim_end(), home.join("real").to_str().unwrap());
}
