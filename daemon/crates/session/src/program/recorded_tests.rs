use super::*;
use serde_json::json;

fn row(action: &str, text: &str, matched: &str, form: Option<&str>) -> InteractionRow {
    let (input_text, pattern_matched) = match action {
        "SEND" => (Some(text.to_owned()), None),
        _ => (None, Some(text.to_owned())),
    };
    InteractionRow {
        action: action.into(),
        input_text,
        output_text: Some(matched.into()),
        pattern_matched,
        start_offset: Some(7),
        form: form.map(str::to_owned),
        ..InteractionRow::default()
    }
}

fn sent(text: &str, form: &str) -> InteractionRow {
    row("SEND", text, "", Some(form))
}

#[track_caller]
fn assert_steps(rows: &[InteractionRow], expected: serde_json::Value) {
    let steps = from_rows(rows, 100).steps;
    assert_eq!(serde_json::to_value(steps).unwrap(), expected);
}

const LINE: &str = "\"line\"";
const TEXT: &str = "\"text\"";
const REGEX: &str = "\"regex\"";
const EXACT: &str = "\"exact\"";

#[test]
fn a_pattern_gets_the_response_that_followed() {
    let rows = [
        row("START", "", "", None),
        row("EXPECT", ">>> ", ">>> ", Some(EXACT)),
        sent("x = {1}", LINE),
        row("RECV", "eof", "ended", None),
        row("EXPECT", "a.c", "abc", Some(REGEX)),
        row("EXPECT", "a.b*", "a.b*", Some(EXACT)),
        sent("y", TEXT),
        row("EXPECT", "eof", "", Some("\"event\"")),
    ];
    assert_steps(
        &rows,
        json!([
            {"pattern": ">>> ", "response": "x = {{1}}"},
            {"pattern": "a.c"},
            {"pattern": r"a\.b\*", "response": "y", "newline": false},
        ]),
    );
}

#[test]
fn what_is_typed_key_by_key_is_one_response_a_line() {
    let rows = [
        sent("l", TEXT),
        sent("s", TEXT),
        sent("\r", LINE),
        sent("pwd\r", LINE),
        sent("<Up>", r#"{"keys":["Up"]}"#),
        sent("<Enter>", r#"{"keys":["Enter"]}"#),
    ];
    assert_steps(
        &rows,
        json!([{"response": "ls"}, {"response": "pwd"}, {"keys": ["Up", "Enter"]}]),
    );
}

#[test]
fn what_is_masked_becomes_a_secret_that_is_asked_for() {
    let rows = [
        row("EXPECT", "(?i)password", "Password", Some(REGEX)),
        sent(HIDDEN, LINE),
        row("RECV", "", "wrong\n", None),
        sent("login token=***", LINE),
        row("RECV", "", "once more\n  pin: ", None),
        sent(HIDDEN, TEXT),
        sent(HIDDEN, TEXT),
    ];
    assert_steps(
        &rows,
        json!([
            {"pattern": "(?i)password", "response": {"secret": {"prompt": "Password"}}},
            {"response": {"secret": {"prompt": "wrong"}}},
            {"response": {"secret": {"prompt": "pin:"}}},
        ]),
    );
    assert_eq!(from_rows(&rows, 100).hidden_at, Some(7));
}

#[test]
fn rows_of_older_daemons_are_read_as_far_as_they_tell() {
    let rows = [
        row("EXPECT", "$ ", "$ ", None),
        row("SEND", "ls", "", None),
        row("EXPECT", "x+", "xx", None),
    ];
    assert_steps(
        &rows,
        json!([{"pattern": r"\$ ", "response": "ls"}, {"pattern": "x+"}]),
    );
}

#[test]
fn what_cannot_be_kept_is_told() {
    let long = "x".repeat(100);
    let rows = [row("EXPECT", "key ***", "", Some(REGEX)), sent(&long, LINE)];
    let warnings = from_rows(&rows, 100).warnings;
    assert!(warnings[0].contains("step 1 is cut"), "{warnings:?}");
    assert!(warnings[1].contains("step 1 contained a secret"));
    let many = vec![sent("x", LINE); MAX_STEPS + 1];
    let recorded = from_rows(&many, 100);
    assert_eq!(recorded.steps.len(), MAX_STEPS);
    assert_eq!(recorded.warnings.len(), 1);
}

#[test]
fn secrets_of_a_command_line_become_placeholders() {
    let redact = |text: &str| ccd_text::redact::redact(text).text.into_owned();
    for (words, template) in [
        (
            ["a", "--password=hunter2hunter2", "-e", "a {b} c"],
            "a --password={secret_argument_1} -e 'a {{b}} c'",
        ),
        (
            ["a", "--password", "hunter2hunter2", "x"],
            "a --password {secret_argument_1} x",
        ),
    ] {
        assert_eq!(
            command_template(&words.map(str::to_owned), redact),
            template
        );
    }
}

#[test]
fn ends_of_lines_stay_as_they_were_typed() {
    let rows = [
        sent("one\n", LINE),
        sent("two\n", TEXT),
        sent("three", TEXT),
        sent("\r", LINE),
    ];
    assert_steps(
        &rows,
        json!([
            {"response": "one\n"},
            {"response": "two\n", "newline": false},
            {"response": "three"},
        ]),
    );
}

#[test]
fn what_is_not_what_was_typed_is_told_with_its_step() {
    let bytes = r#"{"inexact":{"how":"bytes","has_enter":false}}"#;
    let paste = r#"{"inexact":{"how":"paste","has_enter":true}}"#;
    let rows = [sent("b\u{fffd}\n", bytes), sent("x", paste)];
    let recorded = from_rows(&rows, 100);
    assert_eq!(
        recorded.warnings,
        [
            "the response of step 1 differs from what was typed, which contained bytes that are not text",
            "the response of step 2 was pasted, but will be typed",
        ]
    );
    assert_steps(
        &rows,
        json!([{"response": "b\u{fffd}\n", "newline": false}, {"response": "x"}]),
    );
}
