//! What is refused as an asciicast, in which words, and what is only incomplete.

use super::tests::{facts, imported};
use super::*;

fn refused(cast: &str) -> String {
    import(cast.as_bytes(), facts()).unwrap_err().to_string()
}

#[test]
fn a_last_line_that_is_torn_is_left_out() {
    let header = r#"{"version": 2, "width": 80, "height": 24, "command": "a"}"#;
    let only_warning = ["line 3, the last one, is incomplete and not imported"];
    for torn in [
        r#"[1.0, "o", "b"#,
        "[1.0",
        r#"[1.0, "o", "]\u00"#,
        "nonsense",
    ] {
        let found = imported(&format!("{header}\n[0.5, \"o\", \"a\"]\n{torn}"));
        assert_eq!(found.tape.exchanges[0].chunks.len(), 1);
        assert_eq!(found.warnings, only_warning);
    }
    // Without any other line, there is nothing to import.
    let nothing = refused(&format!("{header}\n[1.0, \"o\", \"b"));
    let place = "line 2, column 12 of the asciicast";
    assert!(nothing.starts_with(place), "{nothing}");
    let end = b"\n[0, \"o\", \"a\"]\n[1, \"o\", \"\xe2\x82";
    let torn = [header.as_bytes(), end].concat();
    assert_eq!(import(&torn, facts()).unwrap().warnings.len(), 1);
    // A line that is not the last one, or that is complete, was not cut.
    assert_eq!(
        refused(&format!("{header}\n[0.5, \"o\"\n[1, \"o\", \"a\"]")),
        "line 2, column 10 of the asciicast: the line ends inside an event [time, code, data]"
    );
    for whole in [r#"[1.0, "o"]"#, r#"[2, "o", 5]"#, "nonsense\n"] {
        let refused = refused(&format!("{header}\n[0.5, \"o\", \"a\"]\n{whole}"));
        assert!(refused.starts_with("line 3, column "), "{refused}");
    }
}

#[test]
fn what_is_no_asciicast_is_refused_in_words() {
    let v2 = |more: &str| format!(r#"{{"version": 2, "width": 8, "height": 7{more}}}"#);
    let v1 =
        |more: &str| format!(r#"{{"version": 1, "width": 8, "height": 7, "command": "a"{more}}}"#);
    let size = "must be a whole number from 1 to 65535, not";
    #[rustfmt::skip]
    let rows = [
        ("", "the asciicast is empty"),
        ("\n\n", "the asciicast is empty"),
        ("\u{feff} \n", "the asciicast is empty"),
        ("[1]", "1:1: this value must be an object { … }, not a list"),
        ("{}", "1:1: the header has no `version`"),
        ("\n{\"version\": null}", "2:1: the header has no `version`"),
        (r#"{"version": 4}"#, "1:1: the header has no terminal size"),
        (&v2("").replace('2', "4"), "1:1: version 4: only versions 1, 2 and 3"),
        (r#"{"version": "2"}"#, "1:13: `version` must be a whole number, not a string"),
        (r#"{"version": 2}"#, "1:1: the header has no terminal size"),
        (r#"{"version": 2"#, "1:14: the file ends inside the asciicast's object"),
        (r#"{"version": 2, "width": 0}"#, &format!("1:25: `width` {size} `0`")),
        ("{\"version\": 3, \"term\": {\n\"cols\": 70000}}", &format!("2:9: `term.cols` {size} `70000`")),
        (&v2(r#", "command": ["a"]"#), "1:52: `command` must be a string"),
        (&v2(r#", "env": {"TERM": 5}"#), "1:57: `env.TERM` must be a string"),
        (&v2(r#", "timestamp": NaN"#), "1:54: `timestamp` must be a number of seconds"),
        (&v2(""), "the asciicast does not name the recorded program"),
        (&v2(r#", "command": "a 'b""#), "the asciicast's command cannot be used"),
        (&(v2("") + r#" [1, "o", "a"]"#), "1:41: only one event"),
        (&v1(""), "1:1: an asciicast of version 1 has its output in `stdout`"),
        (
            &v1(", \"stdout\": [\n[1, \"a\"],\n[\"1\", \"b\"]]"),
            "3:2: `stdout[1][0]` must be a number of seconds, not a string",
        ),
        (&v1(", \"stdout\": [\n[1, \"a\"],\n[1]]"), "3:1: output of version 1 has two parts"),
        (&v1(r#", "stdout": [[1, "a", 2]]"#), "1:77: output of version 1"),
        (&v1(r#", "stdout": "a""#), "1:67: `stdout` must be a list"),
        (&(v1(r#", "stdout": []"#) + "\n[1]"), "2:1: an asciicast of version 1 is one object"),
        ("\u{1f}\u{8b}", "1:1: expected a value"),
    ];
    for (cast, message) in rows {
        let refused = refused(cast);
        let message = match message.splitn(3, ':').collect::<Vec<_>>()[..] {
            [line, column, fault] => {
                format!("line {line}, column {column} of the asciicast:{fault}")
            }
            _ => message.to_owned(),
        };
        assert!(refused.starts_with(&message), "{cast}: {refused}");
    }
    let refused = import(b"\x1f\x8b\x08\x00", facts()).unwrap_err();
    let refused = refused.to_string();
    let message = "line 1, column 2 of the asciicast: a byte is not UTF-8: unpack";
    assert!(refused.starts_with(message), "{refused}");
}

#[test]
fn what_is_no_event_is_refused_with_its_place() {
    let header = r#"{"version": 2, "width": 8, "height": 7, "command": "a"}"#;
    let code = "`code` must be a string in quotation marks, not `2`";
    let data = |what: &str| format!("`data` must be a string in quotation marks, not {what}");
    let time = |what: &str| format!("`time` must be a number of seconds, not {what}");
    let event = |what: &str| format!("this value must be an event [time, code, data], not {what}");
    let three = "an event has three parts";
    let year = "the time must be from 0 to one year";
    let size = "a size is COLSxROWS, such as 80x24, each from 1 to 65535, not";
    let status = "an exit status is a number from 0 to 255, such as \"0\", not";
    #[rustfmt::skip]
    let rows = [
        ("5", 1, &*event("`5`")),
        (r#"{"o": 1}"#, 1, &event("an object")),
        ("[]", 1, three),
        (r#"  [1, "o"]"#, 3, three),
        (r#"[1, "o", "a", 2]"#, 15, three),
        (r#"["1", "o", "a"]"#, 2, &time("a string")),
        (r#"[null, "o", "a"]"#, 2, &time("`null`")),
        (r#"[-1, "o", "a"]"#, 2, year),
        (r#"[1e300, "o", "a"]"#, 2, year),
        (r#"[NaN, "o", "a"]"#, 2, year),
        (r#"[1, 2, "a"]"#, 5, code),
        (r#"[1, "é", 2] x"#, 13, "only one event"),
        (r#"[1, "o", 5]"#, 10, &data("`5`")),
        (r#"[1, "i", ["a"]]"#, 10, &data("a list")),
        (r#"[1, "m", null]"#, 10, &data("`null`")),
        (r#"[1, "r", [80, 24]]"#, 10, &data("a list")),
        (r#"[1, "r", "80"]"#, 10, &format!("{size} \"80\"")),
        (r#"[1, "r", "0x24"]"#, 10, size),
        (r#"[1, "r", "80x70000"]"#, 10, size),
        (r#"[1, "x", "ok"]"#, 10, &format!("{status} \"ok\"")),
        (r#"[1, "x", 3]"#, 10, &data("`3`")),
        (r#"[1, "x", "256"]"#, 10, status),
        (r#"[1, "x", true]"#, 10, &data("`true`")),
        (r#"[1 "o", "a"]"#, 4, "expected `,` or `]`, found a string"),
        (r#"[1, "o", "\ud800"]"#, 11, "no character has this \\u"),
    ];
    for (event, column, message) in rows {
        // It is not the last line.
        let cast = format!("{header}\n[0, \"o\", \"a\"]\r\n\n{event}\n[9, \"o\", \"b\"]\n");
        let refused = refused(&cast);
        let message = format!("line 4, column {column} of the asciicast: {message}");
        assert!(refused.starts_with(&message), "{event}: {refused}");
    }
    let long = format!("{header}\n[0, \"r\", \"{}\"]\n", "9".repeat(1 << 20));
    assert!(refused(&long).len() < 300);
}
