//! Errors about tapes that cannot be used, and about words that match no tape.

use crate::support::client::Ran;
use crate::support::pipeline::Pipeline;
use crate::support::{assert_has, assert_lacks, eventually};
use serde_json::json;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

/// Returns one whose directory of tapes exists.
fn pipeline() -> Pipeline {
    let pipeline = Pipeline::new();
    fs::create_dir(pipeline.tapes()).unwrap();
    pipeline
}

#[test]
fn what_is_not_there_is_told_as_that() {
    let pipeline = pipeline();
    let nowhere = pipeline.daemon.home().join("nowhere");
    symlink(&nowhere, pipeline.path_of("x")).unwrap();
    for words in [&["list"][..], &["validate"], &["show", "x"]] {
        let ran = pipeline.tape(words);
        assert_has(&ran.printed(), ["is a dangling link"]);
    }
    // The same if it appears while the directory is watched.
    symlink(&nowhere, pipeline.path_of("y")).unwrap();
    eventually("the link is noticed", || {
        let text = pipeline.tape(&["list"]).printed();
        (text.matches("is a dangling link").count() == 2).then_some(())
    });
    let missing = pipeline.daemon.home().join("nosuch.json5");
    let missing = missing.to_str().unwrap();
    for (words, told) in [
        (
            ["show", missing],
            format!("there is no file \"{missing}\"\n"),
        ),
        (["play", "nosuch"], "ccctl: tape.play: ".to_owned()),
    ] {
        let ran = pipeline.tape(&words);
        assert_eq!(ran.code, Some(4), "{ran:?}");
        assert_has(&ran.printed(), [told]);
    }
    let cast = "{\"version\": 2, \"width\": 80, \"height\": 24}\n";
    fs::write(pipeline.daemon.home().join("a.cast"), cast).unwrap();
    let ran = pipeline.tape(&["import", "a.cast"]);
    assert_has(&ran.printed(), ["after --"]);
}

#[test]
fn long_texts_of_tapes_are_told_in_short() {
    let pipeline = pipeline();
    let long = "x".repeat(5 << 20);
    let good = format!("{{ meta: {{ program: \"{long}\", args: [\"{long}\"] }} }}");
    fs::write(pipeline.path_of("good"), good).unwrap();
    let bad = format!("{{ meta: {{ program: {long} }} }}");
    fs::write(pipeline.path_of("bad"), bad).unwrap();
    for verb in ["list", "validate"] {
        let len = pipeline.tape(&[verb]).printed().len();
        assert!(len < 10_000, "{verb}: {len}");
    }
}

#[test]
fn no_number_of_warnings_hides_what_is_wrong() {
    let pipeline = pipeline();
    // Each of these tapes has a warning, because it contains only the program.
    for number in 0..1_100 {
        let tape = format!("{{ meta: {{ program: \"p{number}\" }} }}");
        fs::write(pipeline.path_of(&format!("a{number}")), tape).unwrap();
    }
    let ran = pipeline.tape(&["validate"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    fs::write(pipeline.path_of("zzz"), "{").unwrap();
    let ran = pipeline.tape(&["validate"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_has(lines[0], ["zzz.json5:1:2: "]);
    assert_eq!(lines.len(), 1_001);
    let params = json!({ "root": pipeline.tapes() });
    let reply = pipeline.daemon.ok("tape.validate", &params);
    let left_out = reply["left_out"].as_u64().unwrap();
    assert!(left_out > 100, "{left_out}");
    assert_eq!(lines[1_000], format!("{left_out} more problems not shown"));
}

#[test]
fn a_name_that_is_no_text_is_told_as_that() {
    let pipeline = pipeline();
    let path = pipeline.tapes().join(OsStr::from_bytes(b"odd-\xff.json5"));
    fs::write(path, "{ meta: { program: \"p\" } }").unwrap();
    for verb in ["list", "validate", "redact"] {
        let text = pipeline.tape(&[verb]).printed();
        assert_has(&text, ["its name is not UTF-8; rename it"]);
        assert_lacks(&text, ["there is no tape"]);
    }
}

#[test]
fn a_file_that_is_named_is_the_one_that_is_told_of() {
    let pipeline = Pipeline::new();
    let folder = pipeline.daemon.home().join("bad");
    fs::create_dir_all(folder.join("folder.json5")).unwrap();
    symlink("loop", folder.join("loop")).unwrap();
    for (words, what) in [
        (
            ["validate", "bad/folder.json5"],
            "is a directory, not a tape",
        ),
        (
            ["validate", "bad/nosuch.json5"],
            "there is no file \"bad/nosuch.json5\"",
        ),
    ] {
        let words = ["tape", words[0], words[1]];
        let ran = Ran::of(pipeline.ccctl(&words).output().unwrap());
        assert_has(&ran.printed(), [what]);
        assert_ne!(ran.code, Some(0));
    }
    let mut list = pipeline.ccctl(&["tape", "list", "--tapes", "bad/loop"]);
    assert!(!list.status().unwrap().success());
    let mut rec = pipeline.ccctl(&["rec", "--", "echo"]);
    let ran = Ran::of(rec.arg(OsStr::from_bytes(b"\xff")).output().unwrap());
    assert_eq!(ran.code, Some(2));
    assert_has(&ran.stderr, [r#"the argument "\xFF" is not UTF-8"#]);
}

#[test]
fn a_directory_above_the_current_one_is_meant_as_the_shell_means_it() {
    let pipeline = Pipeline::new();
    let home = pipeline.daemon.home().canonicalize().unwrap();
    fs::create_dir_all(home.join("real/deep")).unwrap();
    symlink("real/deep", home.join("link")).unwrap();
    let run = |words: &[&str]| {
        let mut command = pipeline.ccctl(words);
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
    let rec = "--tapes ../recorded --no-summary -- sh -c";
    let rec: Vec<&str> = rec.split(' ').chain(["echo one"]).collect();
    for verb in ["rec", "play"] {
        assert_eq!(run(&[&[verb], &rec[..]].concat()), "one\n");
    }
    assert!(home.join("recorded/sh").is_dir());
    let words = ["run", "--cwd", "../link/..", "--", "pwd"];
    assert_eq!(run(&words).trim_end(), home.join("real").to_str().unwrap());
}
