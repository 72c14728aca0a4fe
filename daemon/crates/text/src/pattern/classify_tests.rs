//! Tests the classification of the output of real programs.

use super::Compiled;
use crate::test_lines::lines;
use ccd_protocol::pattern::{PatternClassifyReply, PatternType};
use proptest::prelude::*;
use serde_json::json;
use std::process::Command;
use std::sync::LazyLock;

static LIBRARY: LazyLock<Compiled> = LazyLock::new(Compiled::built_in);

fn classify(text: &str) -> PatternClassifyReply {
    LIBRARY.classify(text)
}

fn formats(text: &str) -> Vec<String> {
    classify(text).data_formats
}

/// Returns what a program prints on either stream; `None` if it is not installed.
pub(super) fn printed(program: &str, args: &[&str], input: &str) -> Option<String> {
    use std::io::Write as _;
    use std::process::Stdio;
    let mut child = Command::new(program)
        .args(args)
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|_| eprintln!("skipped, in part: {program} is not installed"))
        .ok()?;
    let _ = child.stdin.take()?.write_all(input.as_bytes());
    let output = child.wait_with_output().ok()?;
    let both = [output.stdout, output.stderr].concat();
    Some(String::from_utf8_lossy(&both).into_owned())
}

#[test]
fn prompts_have_a_category_and_a_place() {
    for (text, category) in [
        ("user@host:~/dir$ ", "bash"),
        ("user@host:~/dir$", "bash"),
        ("root@host:/# ", "bash"),
        (">>> ", "python"),
        ("In [3]: ", "python"),
        ("mysql> ", "mysql"),
        ("MariaDB [test]> ", "mysql"),
        ("db=# ", "postgres"),
        ("db-> ", "postgres"),
        ("sqlite> ", "sqlite"),
        ("   ...> ", "sqlite"),
        ("[sudo] password for me: ", "sudo"),
        ("Username for 'https://github.com': ", "git"),
        ("me@host's password: ", "ssh"),
        ("Enter passphrase for key '/k': ", "ssh"),
        (
            "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
            "ssh",
        ),
        ("> ", "node"),
        ("custom-app> ", "generic"),
        ("Continue? [Y/n] ", "generic"),
        ("Name: ", "generic"),
    ] {
        let output = format!("output\n{text}");
        let found = classify(&output);
        let prompt = found
            .prompt
            .unwrap_or_else(|| panic!("{text:?} is no prompt"));
        assert_eq!(prompt.category, category, "{text:?}");
        assert_eq!(prompt.text, text.trim());
        assert_eq!(&output[prompt.span.start..prompt.span.end], text.trim());
    }
    for text in ["normal text", "", ">>> \n", "$ \nrunning", "cost 5$"] {
        assert!(!classify(text).has_prompt, "{text:?}");
    }
}

#[test]
fn formats_are_told_apart() {
    for (text, format) in [
        ("{\"a\": [1, 2]}", "json"),
        ("<r><a x=\"1\">t</a></r>", "xml"),
        ("a:\n  b: 1\n  c:\n    - d\n", "yaml"),
        ("[s]\na = 1\nb = 2\n", "ini"),
        ("name,age,city\nAda,36,London\n", "csv"),
        (" id | name \n----+------\n  1 | a\n(1 row)\n", "table"),
        ("Name: ccd\nKind: daemon\nState: up\n", "key_value"),
    ] {
        assert_eq!(formats(text), [format], "{text:?}");
    }
    #[rustfmt::skip]
    let texts = [
        "", "Normal output", "(default)[x]", "a: b", "[word]", "<word>", "1\n2\n3\n",
    ];
    for text in texts {
        assert_eq!(formats(text), [""; 0], "{text:?}");
        assert_eq!(classify(text).state_transition, None, "{text:?}");
    }
    // A YAML flow is not JSON, and text with lines of equal length is not a table.
    assert_eq!(formats("a: {b: 1, c: [1,2]}"), [""; 0]);
    assert_eq!(formats("x:\n  a: {b: 1, c: [1,2]}\n  d: 2\n"), ["yaml"]);
    let inserts = "INSERT INTO t VALUES (1, 2);\n".repeat(3);
    assert_eq!(formats(&inserts), [""; 0]);
    let both = formats("config:\n{\"a\": 1}\n\nx,y,z\n1,2,3\n");
    assert_eq!(both, ["json", "csv"]);
}

#[test]
fn nested_json_is_taken_out_of_the_text_around_it() {
    let document = r#"{"user": {"name": "é", "ids": [1, 2]}}"#;
    let text = format!("Response: {document} ok");
    let found = classify(&text);
    assert!(found.has_json);
    let value = &found.json[0].value;
    assert_eq!(*value, json!({"user": {"name": "é", "ids": [1, 2]}}));
    let span = found.json[0].span;
    assert_eq!(&text[span.start..span.end], document);
    assert!(!classify("{\"key\": invalid}").has_json);
}

#[test]
fn states_are_told_by_their_sentences_only() {
    for (text, state) in [
        ("Entering config mode", "config"),
        ("ok\nentering maintenance\n", "maintenance"),
        ("Switched to branch 'main'", "main"),
        ("Switched to data mode.", "data"),
        ("Mode: insert", "insert"),
        ("state: running", "running"),
        ("Entering a mode\nEntering main menu", "main"),
    ] {
        let found = classify(text).state_transition;
        assert_eq!(found.as_deref(), Some(state), "{text:?}");
    }
    for text in [
        "[config]",
        "<config>",
        "make[1]: Entering directory '/x'",
        "the state of things: bad",
        "file mode: 0644",
    ] {
        assert_eq!(classify(text).state_transition, None, "{text:?}");
    }
}

/// Returns whether a statement about an output is true.
fn is_so(found: &PatternClassifyReply, statement: &str) -> bool {
    let formats = &found.data_formats;
    match statement.split_once(": ") {
        Some(("only", format)) => *formats == [format],
        Some(("also", format)) => formats.iter().any(|found| found == format),
        Some(("command", name)) => found.commands.iter().any(|c| c.name == name),
        Some(("a command", start)) => found.commands.iter().any(|c| c.name.starts_with(start)),
        _ => match statement {
            "error" => found.is_error,
            "no error" => !found.is_error,
            "help" => found.is_help,
            "20 commands" => found.commands.len() > 20,
            "no format" => formats.is_empty(),
            "no json" => !found.has_json && found.json.is_empty(),
            "no prompt" => !found.has_prompt,
            _ => panic!("{statement}"),
        },
    }
}

#[test]
fn real_programs_are_what_they_are() {
    let dumps = "import json; print('x', json.dumps({'a': [1]}, indent=1))";
    let column = "select 1 as id, 'a b' as name union select 22, 'c'";
    let csv = "select 1 as id, 'a b' as name, 3 as n union select 2, 'c', 4";
    let row = "select 1 as id, 'a b' as name";
    let nothing = "select * from nothing";
    #[rustfmt::skip]
    let cases: &[(&[&str], &str, &[&str])] = &[
        (&["python3", "-i", "-c", ""], "", &["no json"]),
        (&["python3", "-c", "1/0"], "", &["error", "no format"]),
        (&["python3", "-c", dumps], "", &["only: json"]),
        (&["git", "-C", "/", "status"], "", &["error"]),
        (&["ls", "--help"], "", &["help", "command: -a, --all"]),
        (&["ls", "-l", "/usr"], "", &["only: table", "no error"]),
        (&["ls", "/nowhere"], "", &["error", "no format"]),
        (&["sqlite3", ":memory:", ".mode column", ".headers on", column], "", &["only: table"]),
        (&["sqlite3", ":memory:", ".mode box", row], "", &["only: table"]),
        (&["sqlite3", ":memory:", ".mode csv", ".headers on", csv], "", &["only: csv"]),
        (&["sqlite3", ":memory:", ".mode json", row], "", &["only: json"]),
        (&["sqlite3", ":memory:", ".help"], "", &["no json"]),
        (&["sqlite3", ":memory:", nothing], "", &["error"]),
        (&["df", "-h"], "", &["also: table"]),
        (&["ps", "aux"], "", &["also: table"]),
        (&["env", "-i", "A=1", "B=2", "C=x y"], "", &["only: key_value"]),
        (&["cat", "/etc/os-release"], "", &["only: key_value"]),
        (&["cat", "/etc/passwd"], "", &["no error", "no json"]),
        (&["bash", "-c", "nope"], "", &["error"]),
        (&["bash", "--help"], "", &["help", "no error"]),
        (&["tar", "--help"], "", &["help", "20 commands", "no format"]),
        (&["curl", "--help"], "", &["help", "no error"]),
        (&["cargo", "--help"], "", &["help", "a command: build"]),
        // It contains a small document.
        (&["jq", "--help"], "", &["only: json"]),
        (&["vim", "--help"], "", &["no format"]),
        (&["bc"], "1+\n", &["error"]),
        (&["date"], "", &["no format", "no error", "no prompt"]),
    ];
    for (command, input, statements) in cases {
        let Some(text) = printed(command[0], &command[1..], input) else {
            continue;
        };
        let found = classify(&text);
        for statement in *statements {
            let is_so = is_so(&found, statement);
            assert!(
                is_so,
                "{command:?}: {statement}; it printed\n{text}\nwhich is\n{found:#?}"
            );
        }
    }
}

#[test]
fn remembered_outputs_are_what_they_are() {
    let banner = "Python 3.11.2 (main, Mar 13 2023, 12:18:29) [GCC 12.2.0] on linux\nType \"help\", \"copyright\", \"credits\" or \"license\" for more information.\n>>> ";
    let found = classify(banner);
    assert!(!found.has_json && !found.is_error && found.data_formats.is_empty());
    assert_eq!(found.prompt.unwrap().category, "python");

    let status = "On branch main\nChanges not staged for commit:\n  (use \"git add <file>...\" to update what will be committed)\n\tmodified:   a.rs\n\tmodified:   b.rs\n\nno changes added to commit (use \"git add\" and/or \"git commit -a\")\n";
    let found = classify(status);
    assert!(found.data_formats.is_empty() && !found.is_error);
    assert_eq!(found.state_transition, None);

    let head = "HTTP/2 200 \r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 1256\r\nserver: nginx\r\n\r\n";
    assert_eq!(formats(head), ["key_value"]);

    let unit = "[Unit]\nDescription=OpenBSD Secure Shell server\nAfter=network.target\n\n[Service]\nExecStart=/usr/sbin/sshd -D $SSHD_OPTS\nRestart=on-failure\n";
    assert_eq!(formats(unit), ["ini"]);

    let compose = "services:\n  web:\n    image: \"nginx:latest\"\n    ports:\n      - \"80:80\"\n  db:\n    image: postgres\n";
    assert_eq!(formats(compose), ["yaml"]);

    let psql = " id |  name  | added \n----+--------+-------\n  1 | a, b   | x\n  2 | c      | \n(2 rows)\n\n";
    let found = classify(psql);
    assert_eq!(found.data_formats, ["table"]);
    assert_eq!((found.tables[0].columns, found.tables[0].rows), (3, 3));
}

#[test]
fn control_sequences_are_not_looked_at_and_spans_are_those_of_the_given_text() {
    let text = "ok\r\n\x1b[1;31mError\x1b[0m: it broke\r\n\x1b[32m>>> \x1b[0m";
    let found = classify(text);
    assert!(found.is_error);
    let error = found
        .matches
        .iter()
        .find(|m| m.pattern_type == PatternType::Error)
        .unwrap();
    assert_eq!((error.line, error.matched.as_str()), (2, "Error:"));
    assert_eq!(&text[error.span.start..error.span.end], "Error\x1b[0m:");
    assert_eq!(found.prompt.unwrap().text, ">>>");
    assert_eq!(found.line_count, 3);
}

#[test]
fn a_help_text_that_tells_of_failures_is_no_error() {
    let text =
        "Usage: ccctl [OPTIONS] <COMMAND>\n\nExit status: 0 done, 1 failed, 2 usage, 3 no daemon\n";
    let found = classify(text);
    assert!(found.is_help && !found.is_error, "{found:#?}");
    assert!(classify("0 done, 1 failed").is_error);
    assert!(classify("error: no such file\nUsage: x [-a]\n").is_error);
}

#[test]
fn what_was_left_out_is_said() {
    let deep = format!("{}1{}", "{\"a\":".repeat(300), "}".repeat(300));
    let found = classify(&deep);
    assert!(found.truncated && found.json.is_empty());
    let library = &*LIBRARY;
    let many = library.test(&"error: x\n".repeat(2000), Some(PatternType::Error));
    assert!(many.truncated && many.matches.len() == 1000);
    let long = library.test(&format!("{} error", "x".repeat(70_000)), None);
    assert!(long.truncated && long.matches.is_empty());
    assert!(!library.test("error: x", None).truncated);
}

#[test]
fn time_is_linear_in_the_text() {
    let library = &*LIBRARY;
    let pieces = lines("repeated_for_formats");
    for piece in &pieces {
        let text = piece.repeat((1 << 16) / piece.len());
        let start = std::time::Instant::now();
        library.classify(&text);
        // It takes tens of milliseconds; quadratic time would take hours.
        assert!(start.elapsed().as_secs() < 60, "{piece:?}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic_and_spans_lie_in_the_text(
        text in "(?s)([{}\\[\\]<>/:=,;|+\\-\"' \\t\n\r#$a-cé\u{1b}\u{2500}-\u{2510}]|\\$ |error: |\\{\"a\":|key: |<a>|</a>|---|.){0,80}"
    ) {
        let library = &*LIBRARY;
        let found = library.classify(&text);
        let spans = found.matches.iter().map(|m| m.span)
            .chain(found.tables.iter().map(|t| t.span))
            .chain(found.json.iter().map(|j| j.span))
            .chain(found.prompt.iter().map(|p| p.span));
        for span in spans {
            prop_assert!(text.get(span.start..span.end).is_some(), "{span:?} in {text:?}");
        }
        library.test(&text, None);
    }
}
