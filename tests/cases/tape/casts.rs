//! Asciicasts: what a recording has in common with them, and what is refused.

use crate::support::client::{CCCTL, Ran, person};
use crate::support::pipeline::Pipeline;
use crate::support::{assert_has, eventually};
use serde_json::json;
use std::fs;

/// Writes a cast to a file, and imports it.
fn import(pipeline: &Pipeline, cast: &str) -> Ran {
    fs::write(pipeline.daemon.home().join("a.cast"), cast).unwrap();
    pipeline.tape(&["import", "a.cast"])
}

/// Imports a cast that is one, and returns the tape and the warnings.
#[track_caller]
fn imported(pipeline: &Pipeline, cast: &str) -> (String, String) {
    let ran = import(pipeline, cast);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    (ran.stdout.trim_end().to_owned(), ran.stderr)
}

/// Returns the events of an exported tape, without the time of each.
fn events(pipeline: &Pipeline, tape: &str) -> Vec<(String, String)> {
    let ran = pipeline.tape(&["export", tape, "--format", "asciicast-v3"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let events = ran.stdout.lines().skip(1).map(|line| {
        let (_, code, data): (f64, String, String) = serde_json::from_str(line).unwrap();
        (code, data)
    });
    events.collect()
}

/// Types one key at a time, and changes the size of the terminal between two of them.
#[test]
fn what_a_person_types_is_on_the_tape_key_by_key_with_the_sizes_of_the_terminal() {
    let bench = Pipeline::new();
    let person = person(&bench.daemon, 20, 80);
    let tapes = bench.tapes();
    let program = "printf \"ask> \"; read -r line; echo \"got $line\"";
    person.line(&format!(
        "clear; CI= '{CCCTL}' rec --tapes '{}' -- sh -c '{program}'; echo \"status $?\"",
        tapes.display()
    ));
    person.shows("ask>");
    person.text("a");
    person.shows("ask> a");
    person.resize(25, 90);
    let sizes = || bench.daemon.ok("session.list", &json!({}));
    eventually("the program's terminal has the new size", || {
        let sessions = sizes()["sessions"].as_array().unwrap().clone();
        let all = sessions.iter().all(|session| session["cols"] == 90);
        (sessions.len() == 2 && all).then_some(())
    });
    person.text("b");
    person.shows("ask> ab");
    person.text("\r");
    person.expect("recorded 2 exchanges as sh/");
    person.expect("status 0");

    let (tape, _) = bench.only_tape();
    let tape = tape.as_str();
    let events = events(&bench, tape);
    let of_code = |code: &str| -> Vec<&str> {
        let those = events.iter().filter(|event| event.0 == code);
        those.map(|event| event.1.as_str()).collect()
    };
    assert_eq!(of_code("i"), ["a", "b", "\r"], "{events:?}");
    assert!(of_code("r").contains(&"90x25"), "{events:?}");
    let place = |event: (&str, &str)| {
        let found = events
            .iter()
            .position(|(code, data)| (code.as_str(), data.as_str()) == event);
        found.unwrap_or_else(|| panic!("{event:?}: {events:?}"))
    };
    let resized = place(("r", "90x25"));
    assert!(
        place(("i", "a")) < resized && resized < place(("i", "b")),
        "{events:?}"
    );
    assert_eq!(events.last().unwrap(), &("x".to_owned(), "0".to_owned()));

    // It comes back as it is, and both are drawn in the larger size at the end.
    let cast = bench.tape(&["export", tape]).stdout;
    let (back, _) = imported(&bench, &cast);
    assert_eq!(self::events(&bench, &back), events);
    let annotations = |tape: &str| {
        let params = json!({"root": tapes, "tape": tape});
        bench.daemon.ok("tape.get", &params)["exchanges"][1]["annotations"].clone()
    };
    let (ours, theirs) = (annotations(&back), annotations(tape));
    assert_eq!(
        [&ours["keys"], &ours["resizes"]],
        [&theirs["keys"], &theirs["resizes"]]
    );
    for tape in [tape, &back] {
        let moving = bench.tape(&["svg", tape, "--animated"]).stdout;
        let still = bench.tape(&["svg", tape]).stdout;
        let size = |svg: &str| svg.split_once(" viewBox").unwrap().0.to_owned();
        assert_eq!(size(&moving), size(&still));
        assert!(moving.contains(">got ab</text>"), "{moving}");
    }
}

#[test]
fn what_is_wrong_in_an_asciicast_is_reported_with_line_and_column() {
    let bench = Pipeline::new();
    let header = r#"{"version": 2, "width": 80, "height": 24, "command": "a"}"#;
    let ran = import(
        &bench,
        &format!("{header}\n[0, \"o\", \"a\"]\n[0, \"r\", \"80x\"]\n"),
    );
    assert_ne!(ran.code, Some(0), "{ran:?}");
    let message = "line 3, column 10 of the asciicast: a size is COLSxROWS, such as 80x24";
    assert!(ran.stderr.contains(message), "{ran:?}");
    let long = format!("{header}\n{}", "[0, \"m\", \"\"]\n".repeat(600_000));
    let ran = import(&bench, &long);
    assert!(
        ran.stderr.contains("too large for a tape: more than"),
        "{}",
        ran.stderr
    );
    assert!(!bench.tapes().exists(), "nothing was written");
}

#[test]
fn an_animation_types_at_the_recorded_times_and_pauses_at_its_end() {
    let bench = Pipeline::new();
    let header =
        r##"{"version":2,"width":80,"height":24,"command":"cat","theme":{"fg":"#ffffff"}}"##;
    let cast = [
        header,
        r#"[1.0, "o", "> "]"#,
        r#"[1.5, "i", "h"]"#,
        r#"[1.5, "o", "h"]"#,
        r#"[2.5, "i", "i"]"#,
        r#"[2.5, "o", "i"]"#,
        r#"[7.5, "i", "\r"]"#,
        r#"[7.5, "o", "\r\nhi\r\n"]"#,
    ];
    let (tape, warnings) = imported(&bench, &cast.join("\n"));
    let told = "ccctl: not imported, because tapes have no place for it: theme\n";
    assert_eq!(warnings, told);
    let length = |options: &[&str]| {
        let ran = bench.tape(&[&["svg", &tape, "--animated"], options].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let (_, after) = ran.stdout.split_once("animation:play ").unwrap();
        after.split_once(' ').unwrap().0.to_owned()
    };
    // 1 s, 0.5 s and 1 s until the keys, 2 s in place of 5 s, and 2 s at the end.
    assert_eq!(length(&[]), "6.500s");
    assert_eq!(
        length(&["--idle-limit", "100", "--end-pause", "0"]),
        "7.500s"
    );
    assert_eq!(
        length(&["--idle-limit", "0.5", "--end-pause", "10"]),
        "12.000s"
    );
    let cropped = bench.tape(&["svg", &tape, "--animated", "--crop", "--theme", "light"]);
    assert_has(&cropped.stdout, [r#"height="70""#, r##"fill="#ffffff""##]);
    let refused = bench.tape(&["svg", &tape, "--end-pause", "1"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn an_export_of_any_length_is_printed_whole() {
    let pipeline = Pipeline::with_config("{limits: {reply_bytes: 20000}}");
    let lines: String = (0..2000)
        .map(|line| format!("line {line} \u{e9}\n"))
        .collect();
    let output = lines.replace('\n', "\r\n");
    let event = serde_json::to_string(&json!([0.1, "o", output])).unwrap();
    let header = json!({"version": 2, "width": 80, "height": 24, "command": "a"});
    let (tape, _) = imported(&pipeline, &format!("{header}\n{event}\n"));
    let export = |words: &[&str]| {
        let ran = pipeline.tape(&[&["export", &tape], words].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout
    };
    assert_eq!(export(&["--transcript"]), lines);
    let cast = export(&["--format", "asciicast-v2"]);
    let printed = cast.lines().skip(1).map(|line| {
        let (_, _, data): (f64, String, String) = serde_json::from_str(line).unwrap();
        data
    });
    assert_eq!(printed.collect::<String>(), output);
    let reply: serde_json::Value =
        serde_json::from_str(&export(&["--transcript", "--json"])).unwrap();
    assert_eq!(
        (reply["text"].as_str(), &reply["next"]),
        (Some(&*lines), &json!(null))
    );
    assert_eq!(pipeline.tape(&["play", &tape]).stdout, output);
    // A client that does not ask for parts gets no part without its end.
    let params = json!({"root": pipeline.tapes(), "tape": tape, "format": "transcript"});
    pipeline
        .daemon
        .connect()
        .refused("tape.export", &params, "reply_too_large");
}
