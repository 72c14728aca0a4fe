//! What is refused as an asciicast, in which words, and what is only incomplete.

use super::tests::{facts, imported};
use super::*;

fn refused(cast: &str) -> String {
    import(cast.as_bytes(), facts()).unwrap_err().to_string()
}

#[test]
fn a_last_line_that_is_torn_is_left_out() {
    let header = r#"{"version": 2, "width": 80, "height": 24, "command": "a"}"#;
    for torn in [
        "[1.0, \"o\", \"b",
        "[1.0",
        "[1.0, \"o\", \"]\\u00",
        "nonsense",
    ] {
        let found = imported(&format!("{header}\n[0.5, \"o\", \"a\"]\n{torn}"));
        assert_eq!(found.tape.exchanges[0].chunks.len(), 1);
        assert_eq!(
            found.warnings,
            ["line 3, the last one, is incomplete and not imported"]
        );
    }
    // Without any other line, there is nothing to import.
    let nothing = refused(&format!("{header}\n[1.0, \"o\", \"b"));
    assert!(
        nothing.starts_with("line 2, column 12 of the asciicast"),
        "{nothing}"
    );
    let torn = [
        header.as_bytes(),
        b"\n[0, \"o\", \"a\"]\n[1, \"o\", \"\xe2\x82",
    ]
    .concat();
    assert_eq!(import(&torn, facts()).unwrap().warnings.len(), 1);
    // A line that is not the last one, or that is complete, was not cut.
    assert_eq!(
        refused(&format!("{header}\n[0.5, \"o\"\n[1, \"o\", \"a\"]")),
        "line 2, column 10 of the asciicast: the line ends inside an event [time, code, data]"
    );
    for whole in ["[1.0, \"o\"]", "[2, \"o\", 5]", "nonsense\n"] {
        let refused = refused(&format!("{header}\n[0.5, \"o\", \"a\"]\n{whole}"));
        assert!(refused.starts_with("line 3, column "), "{refused}");
    }
}

#[test]
fn what_is_no_asciicast_is_refused_in_words() {
    let v2 = "{\"version\": 2, \"width\": 8, \"height\": 7";
    let v1 = "{\"version\": 1, \"width\": 8, \"height\": 7, \"command\": \"a\"";
    for (cast, message) in [
        ("", "the asciicast is empty"),
        ("\n\n", "the asciicast is empty"),
        ("\u{feff} \n", "the asciicast is empty"),
        ("[1]", "1:1: this value must be an object { … }, not a list"),
        ("{}", "1:1: the header has no `version`"),
        ("\n{\"version\": null}", "2:1: the header has no `version`"),
        ("{\"version\": 4}", "1:1: the header has no terminal size"),
        (
            &format!("{}}}", v2.replace('2', "4")),
            "1:1: version 4: only versions 1, 2 and 3",
        ),
        (
            "{\"version\": \"2\"}",
            "1:13: `version` must be a whole number, not a string",
        ),
        ("{\"version\": 2}", "1:1: the header has no terminal size"),
        (
            "{\"version\": 2",
            "1:14: the file ends inside the asciicast's object",
        ),
        (
            "{\"version\": 2, \"width\": 0}",
            "1:25: `width` must be a whole number from 1 to 65535, not `0`",
        ),
        (
            "{\"version\": 3, \"term\": {\n\"cols\": 70000}}",
            "2:9: `term.cols` must be a whole number from 1 to 65535, not `70000`",
        ),
        (
            &format!("{v2}, \"command\": [\"a\"]}}"),
            "1:52: `command` must be a string",
        ),
        (
            &format!("{v2}, \"env\": {{\"TERM\": 5}}}}"),
            "1:57: `env.TERM` must be a string",
        ),
        (
            &format!("{v2}, \"timestamp\": NaN}}"),
            "1:54: `timestamp` must be a number of seconds",
        ),
        (
            &format!("{v2}}}"),
            "the asciicast does not name the recorded program",
        ),
        (
            &format!("{v2}, \"command\": \"a 'b\"}}"),
            "the asciicast's command cannot be used",
        ),
        (&format!("{v2}}} [1, \"o\", \"a\"]"), "1:41: only one event"),
        (
            &format!("{v1}}}"),
            "1:1: an asciicast of version 1 has its output in `stdout`",
        ),
        (
            &format!("{v1}, \"stdout\": [\n[1, \"a\"],\n[\"1\", \"b\"]]}}"),
            "3:2: `stdout[1][0]` must be a number of seconds, not a string",
        ),
        (
            &format!("{v1}, \"stdout\": [\n[1, \"a\"],\n[1]]}}"),
            "3:1: output of version 1 has two parts",
        ),
        (
            &format!("{v1}, \"stdout\": [[1, \"a\", 2]]}}"),
            "1:77: output of version 1",
        ),
        (
            &format!("{v1}, \"stdout\": \"a\"}}"),
            "1:67: `stdout` must be a list",
        ),
        (
            &format!("{v1}, \"stdout\": []}}\n[1]"),
            "2:1: an asciicast of version 1 is one object",
        ),
        ("\u{1f}\u{8b}", "1:1: expected a value"),
    ] {
        let refused = refused(cast);
        let message = match message
            .split_once(": ")
            .filter(|_| !message.starts_with("the "))
        {
            Some((place, fault)) => {
                let (line, column) = place.split_once(':').unwrap();
                format!("line {line}, column {column} of the asciicast: {fault}")
            }
            None => message.to_owned(),
        };
        assert!(refused.starts_with(&message), "{cast}: {refused}");
    }
    let refused = import(b"\x1f\x8b\x08\x00", facts())
        .unwrap_err()
        .to_string();
    let message = "line 1, column 2 of the asciicast: a byte is not UTF-8: unpack";
    assert!(refused.starts_with(message), "{refused}");
}

#[test]
fn what_is_no_event_is_refused_with_its_place() {
    let header = r#"{"version": 2, "width": 8, "height": 7, "command": "a"}"#;
    for (event, column, message) in [
        (
            "5",
            1,
            "this value must be an event [time, code, data], not `5`",
        ),
        (
            "{\"o\": 1}",
            1,
            "this value must be an event [time, code, data], not an object",
        ),
        ("[]", 1, "an event has three parts"),
        ("  [1, \"o\"]", 3, "an event has three parts"),
        ("[1, \"o\", \"a\", 2]", 15, "an event has three parts"),
        (
            "[\"1\", \"o\", \"a\"]",
            2,
            "`time` must be a number of seconds, not a string",
        ),
        (
            "[null, \"o\", \"a\"]",
            2,
            "`time` must be a number of seconds, not `null`",
        ),
        (
            "[-1, \"o\", \"a\"]",
            2,
            "the time must be from 0 to one year",
        ),
        (
            "[1e300, \"o\", \"a\"]",
            2,
            "the time must be from 0 to one year",
        ),
        (
            "[NaN, \"o\", \"a\"]",
            2,
            "the time must be from 0 to one year",
        ),
        (
            "[1, 2, \"a\"]",
            5,
            "`code` must be a string in quotation marks, not `2`",
        ),
        ("[1, \"é\", 2] x", 13, "only one event"),
        (
            "[1, \"o\", 5]",
            10,
            "`data` must be a string in quotation marks, not `5`",
        ),
        (
            "[1, \"i\", [\"a\"]]",
            10,
            "`data` must be a string in quotation marks, not a list",
        ),
        (
            "[1, \"m\", null]",
            10,
            "`data` must be a string in quotation marks, not `null`",
        ),
        (
            "[1, \"r\", [80, 24]]",
            10,
            "`data` must be a string in quotation marks, not a list",
        ),
        (
            "[1, \"r\", \"80\"]",
            10,
            "a size is COLSxROWS, such as 80x24, each from 1 to 65535, not \"80\"",
        ),
        ("[1, \"r\", \"0x24\"]", 10, "a size is COLSxROWS"),
        ("[1, \"r\", \"80x70000\"]", 10, "a size is COLSxROWS"),
        (
            "[1, \"x\", \"ok\"]",
            10,
            "an exit status is a number from 0 to 255, such as \"0\", not \"ok\"",
        ),
        (
            "[1, \"x\", 3]",
            10,
            "`data` must be a string in quotation marks, not `3`",
        ),
        (
            "[1, \"x\", \"256\"]",
            10,
            "an exit status is a number from 0 to 255",
        ),
        (
            "[1, \"x\", true]",
            10,
            "`data` must be a string in quotation marks, not `true`",
        ),
        ("[1 \"o\", \"a\"]", 4, "expected `,` or `]`, found a string"),
        ("[1, \"o\", \"\\ud800\"]", 11, "no character has this \\u"),
    ] {
        // It is not the last line.
        let cast = format!("{header}\n[0, \"o\", \"a\"]\r\n\n{event}\n[9, \"o\", \"b\"]\n");
        let refused = refused(&cast);
        let message = format!("line 4, column {column} of the asciicast: {message}");
        assert!(refused.starts_with(&message), "{event}: {refused}");
    }
    let long = format!("{header}\n[0, \"r\", \"{}\"]\n", "9".repeat(1 << 20));
    assert!(refused(&long).len() < 300);
}
