use super::super::tests::{exchange, tape};
use super::OutputLikeness::{Differs, Same, Start};
use super::*;

/// Compares each exchange, whose answer may be cut, with what a program prints; the first one is its start.
fn compared(pairs: &[(&str, &str, &str)]) -> Vec<OutputLikeness> {
    compared_with(pairs, false)
}

fn compared_with(pairs: &[(&str, &str, &str)], has_editor: bool) -> Vec<OutputLikeness> {
    let mut comparison = Comparison::new(&tape(Vec::new()), &[]);
    if has_editor {
        comparison.note_editor();
    }
    let likenesses = pairs.iter().enumerate();
    let likenesses = likenesses.map(|(index, (input, recorded, now))| {
        comparison.start(index, &exchange(input, &[recorded]));
        comparison.print(exchange(input, &[now]).chunks);
        let likeness = comparison.likeness(true);
        match likeness {
            Differs => drop(comparison.reject()),
            Same | Start => comparison.accept(),
        }
        likeness
    });
    likenesses.collect()
}

#[test]
fn what_a_script_did_not_wait_for_is_in_the_next_exchange() {
    let pairs = [
        ("", "> ", "> "),
        ("a\r", "a\r\nso a\r\n", "a\r\nso a\r\n> "),
        ("b\r", "> b\r\nso b\r\n> ", "b\r\nso b\r\n> "),
        ("c\r", "c\r\nso c\r\n> ", "c\r\nso c\r\n> "),
    ];
    assert_eq!(compared(&pairs), [Same, Start, Same, Same]);
}

#[test]
fn an_echo_may_be_in_front_of_the_rest_of_an_answer() {
    let pairs = [
        ("", "> ", "> "),
        ("a\r", "a\r\n", "a\r\nso a\r\n> "),
        ("b\r", "b\r\nso a\r\n> so b\r\n", "b\r\nso b\r\n> "),
        ("c\r", "c\r\n> so c\r\n> ", "c\r\nso c\r\n> "),
    ];
    assert_eq!(compared(&pairs), [Same, Start, Start, Same]);
}

#[test]
fn several_lines_may_be_typed_before_the_first_answer() {
    #[rustfmt::skip]
    let pairs = [
        ("", "$ ", "$ "),
        ("echo a\r", "echo a\r\n", "echo a\r\na\r\n$ "),
        ("echo b\r", "echo b\r\n", "echo b\r\nb\r\n$ "),
        ("echo c\r", "echo c\r\na\r\n$ echo b\r\nb\r\n$ echo c\r\nc\r\n$ ", "echo c\r\nc\r\n$ "),
    ];
    assert_eq!(compared_with(&pairs, true), [Same, Start, Start, Same]);
    // On the tape while the editor showed the one before again, and now before it was ready.
    let pairs = [
        ("", "$ ", "$ "),
        ("echo a\r", "echo a\r\n", "echo a\r\n"),
        (
            "echo b\r",
            "a\r\n$ ech",
            "echo b\r\na\r\n$ echo b\r\nb\r\n$ ",
        ),
        ("exit\r", "o b\r\nexit\r\nb\r\n$ exit\r\n", "exit\r\n"),
    ];
    assert_eq!(compared_with(&pairs, true), [Same, Same, Start, Same]);
    // Before the program was ready, without a prompt.
    let pairs = [
        ("", "", ""),
        ("1+1\r", "1+1\r\n1+1\r\n2\r\n", "1+1\r\n2\r\n"),
    ];
    assert_eq!(compared_with(&pairs, true), [Same, Same]);
    assert_eq!(compared(&pairs), [Same, Differs]);
}

#[test]
fn an_answer_that_has_changed_differs_wherever_it_is() {
    let pairs = [
        ("", "> ", "> "),
        ("a\r", "a\r\n", "a\r\nno a\r\n> "),
        ("b\r", "b\r\nso a\r\n> so b\r\n", "b\r\nno b\r\n> "),
    ];
    assert_eq!(compared(&pairs), [Same, Start, Differs]);
    let pairs = [
        ("", "> ", "> "),
        ("a\r", "a\r\nso a\r\n> ", "a\r\nmore\r\nso a\r\n> "),
        ("b\r", "b\r\nso b\r\n> ", "b\r\nso b\r\n> "),
    ];
    assert_eq!(compared(&pairs), [Same, Differs, Same]);
    // What `cat` prints is not the echo.
    let pairs = [("", "", ""), ("a\r", "a\r\na\r\n", "a\r\n")];
    assert_eq!(compared(&pairs), [Same, Differs]);
}

#[test]
fn a_change_belongs_to_the_first_exchange_that_lacks_its_end() {
    let mut comparison = Comparison::new(&tape(Vec::new()), &[]);
    for (index, recorded, now) in [(0, "> ", "> "), (1, "one\r\n", "one\r\ntwo\r\n> ")] {
        comparison.start(index, &exchange("", &[recorded]));
        comparison.print(exchange("", &[now]).chunks);
        comparison.accept();
    }
    comparison.start(2, &exchange("", &["> three"]));
    comparison.print(exchange("", &["three"]).chunks);
    assert_eq!(comparison.likeness(true), Differs);
    assert_eq!(comparison.reject(), 1);
}

#[test]
fn a_complete_answer_has_its_end() {
    let mut comparison = Comparison::new(&tape(Vec::new()), &[]);
    comparison.start(0, &exchange("", &["one\r\n"]));
    comparison.print(exchange("", &["one\r\n"]).chunks);
    assert_eq!(comparison.likeness(false), Same);
    comparison.print(exchange("", &["two\r\n"]).chunks);
    assert_eq!(comparison.likeness(true), Start);
    assert_eq!(comparison.likeness(false), Differs);
    let (tape, now) = comparison.texts();
    assert_eq!((tape.as_str(), now.as_str()), ("one", "one\ntwo"));
}

#[test]
fn what_a_line_editor_draws_is_compared_as_what_it_shows() {
    #[rustfmt::skip]
    let pairs = [
        ("", "hi\n$ ", "hi\r\n\x1b[1m$ \x1b[0m"),
        ("ls\r", "l\x1b[90ms -a\x1b[4D\x1b[ms\x1b[K\r\nfile\r\n$ ", "ls\r\x1b[K$ ls\r\nfile\r\n$ "),
        ("x\r", "\r\n\x1b[A$ x\x1b[K\r\n\x1b[Jy\r\n$ ", "x\r\ny\r\n$ "),
    ];
    assert_eq!(compared(&pairs), [Same, Same, Same]);
}

#[test]
fn a_key_that_was_shown_before_it_was_typed_moves_the_cursor() {
    let mut comparison = Comparison::new(&tape(Vec::new()), &[]);
    comparison.start(0, &exchange("", &["$ echo\x1b[2D"]));
    comparison.print(exchange("", &["$ echo\x1b[2D"]).chunks);
    comparison.accept();
    comparison.start(1, &exchange("h", &["h"]));
    assert_eq!(comparison.likeness(true), Same);
    assert!(!comparison.is_at_same_place());
    comparison.print(exchange("", &["\x08ch"]).chunks);
    assert!(comparison.is_at_same_place());
}

#[test]
fn a_line_that_is_still_drawn_is_compared_when_it_is_complete() {
    let pairs = [
        ("", "> ", "> "),
        ("co", "co\r\n", "conso\r\nObject"),
        (".", "\x1b[A\r> co.\x1b[J", "\x1b[A\r> co.\x1b[J"),
        ("\r", "\r\nno\r\n> ", "\r\nno\r\n> "),
    ];
    assert_eq!(compared_with(&pairs, true), [Same, Start, Same, Same]);
    let pairs = [
        ("", "> ", "> "),
        ("co", "co\r\n", "conso\r\nObject"),
        (".", "\x1b[A\r> co.\x1b[J", "\x1b[A\r> no.\x1b[J"),
        ("\r", "\r\nno\r\n> ", "\r\nno\r\n> "),
    ];
    assert_eq!(compared_with(&pairs, true), [Same, Start, Start, Start]);
}

#[test]
fn lines_that_were_typed_together_may_be_shown_in_any_order() {
    #[rustfmt::skip]
    let pairs = [
        ("", "> ", "> "),
        ("a\rb\r", "a\r\nb\r\nso a\r\n> so b\r\n> ", "a\r\nso a\r\n> b\r\nso b\r\n> "),
    ];
    assert_eq!(compared(&pairs), [Same, Same]);
}

#[test]
fn secrets_and_what_changes_from_run_to_run_do_not_count() {
    let secrets = ["hunter2hunter2".to_owned()];
    let mut comparison = Comparison::new(&tape(Vec::new()), &secrets);
    comparison.start(0, &exchange("", &["pid 12, ***, 12:00:01"]));
    comparison.print(exchange("", &["pid 345, hunter2hunter2, 13:00:01"]).chunks);
    assert_eq!(comparison.likeness(false), Same);
}
