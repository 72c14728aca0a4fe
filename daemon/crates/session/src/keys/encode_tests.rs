use super::*;
use ccd_screen::Scanner;
use proptest::prelude::*;

fn key(name: &str) -> String {
    in_modes(name, b"")
}

/// Returns the bytes of the key after the program has written `output`.
fn in_modes(name: &str, output: &[u8]) -> String {
    let mut scanner = Scanner::new();
    scanner.feed(output, 0, &mut Vec::new());
    String::from_utf8(encode(name, scanner.modes()).unwrap()).unwrap()
}

#[test]
fn each_key_has_the_bytes_of_xterm() {
    for (names, bytes) in [
        ("a", "a"),
        ("é", "é"),
        ("-", "-"),
        ("^", "^"),
        ("C-c C-C c-c ^C", "\x03"),
        ("^[ Escape", "\x1b"),
        ("^? BSpace", "\x7f"),
        ("C-x", "\x18"),
        ("C-Space C-@", "\0"),
        ("C-\\", "\x1c"),
        ("C-]", "\x1d"),
        ("C-^", "\x1e"),
        ("C-_ C-- C-/", "\x1f"),
        ("M-x", "\x1bx"),
        ("M-é", "\x1bé"),
        ("C-M-x M-C-x M-^X", "\x1b\x18"),
        ("S-a", "A"),
        ("M--", "\x1b-"),
        ("Up up", "\x1b[A"),
        ("End", "\x1b[F"),
        ("S-Up", "\x1b[1;2A"),
        ("M-Left", "\x1b[1;3D"),
        ("C-Right", "\x1b[1;5C"),
        ("C-S-Left", "\x1b[1;6D"),
        ("C-M-S-Home", "\x1b[1;8H"),
        ("PageUp PPage", "\x1b[5~"),
        ("PgDn NPage", "\x1b[6~"),
        ("C-PageDown", "\x1b[6;5~"),
        ("IC", "\x1b[2~"),
        ("Delete", "\x1b[3~"),
        ("S-DC", "\x1b[3;2~"),
        ("F1", "\x1bOP"),
        ("F5", "\x1b[15~"),
        ("F12", "\x1b[24~"),
        ("S-F1", "\x1b[1;2P"),
        ("C-F5", "\x1b[15;5~"),
        ("Enter KPEnter", "\r"),
        ("M-Enter", "\x1b\r"),
        ("M-Escape", "\x1b\x1b"),
        ("Tab", "\t"),
        ("BTab S-Tab", "\x1b[Z"),
        ("M-BSpace", "\x1b\x7f"),
        ("C-BSpace", "\x08"),
        ("Space", " "),
        ("KP5", "5"),
    ] {
        for name in names.split(' ') {
            assert_eq!(key(name), bytes, "{name}");
        }
    }
}

#[test]
fn application_modes_change_the_keys_they_are_for() {
    assert_eq!(in_modes("Up", b"\x1b[?1h"), "\x1bOA");
    assert_eq!(in_modes("Home", b"\x1b[?1h"), "\x1bOH");
    // Never with a modifier.
    assert_eq!(in_modes("C-Up", b"\x1b[?1h"), "\x1b[1;5A");
    assert_eq!(in_modes("KP5", b"\x1b="), "\x1bOu");
    assert_eq!(in_modes("KPEnter", b"\x1b="), "\x1bOM");
}

#[test]
fn keys_without_bytes_need_a_program_that_asked_for_them() {
    for name in ["S-Enter", "C-Enter", "C-Tab", "C-1", "C-é", "S-Escape"] {
        let error = encode(name, &Modes::default()).unwrap_err();
        assert!(matches!(error, KeyError::NoBytes { .. }), "{name}");
    }
    assert_eq!(in_modes("S-Enter", b"\x1b[>1u"), "\x1b[13;2u");
    assert_eq!(in_modes("C-1", b"\x1b[>4;2m"), "\x1b[27;5;49~");
    // What has bytes keeps them.
    assert_eq!(in_modes("C-c", b"\x1b[>1u"), "\x03");
}

#[test]
fn an_unknown_name_is_told_with_its_neighbours() {
    let told = |name| encode(name, &Modes::default()).unwrap_err().to_string();
    assert_eq!(
        told("C-Entr"),
        "no key is named \"C-Entr\", did you mean Enter?"
    );
    assert_eq!(told("hello world"), "no key is named \"hello world\"");
    for name in ["", "C-", "^ab", "X-a", &"x".repeat(10_000)] {
        let error = encode(name, &Modes::default()).unwrap_err();
        assert!(matches!(error, KeyError::Unknown { .. }), "{name}");
        assert!(error.to_string().len() < 200);
    }
}

#[test]
fn a_key_as_keyboards_name_it_is_told_in_its_own_spelling() {
    for (name, meant) in [
        ("Ctrl-C", "C-c"),
        ("ctrl+x", "C-x"),
        ("Control-c", "C-c"),
        ("Alt-f", "M-f"),
        ("Ctrl+Alt+x", "C-M-x"),
        ("Shift-Up", "S-Up"),
        ("C-c Up", "C-c,Up"),
        ("Ctrl-A Enter", "C-a,Enter"),
    ] {
        let message = encode(name, &Modes::default()).unwrap_err().to_string();
        let expected = format!("no key is named {name:?}, did you mean {meant}?");
        assert_eq!(message, expected);
    }
}

proptest! {
    #[test]
    fn no_name_panics_and_no_key_is_empty(name in "(C-|M-|S-|\\^){0,3}(\\PC{0,3}|Up|F1|Enter|Tab)") {
        if let Ok(bytes) = encode(&name, &Modes::default()) {
            prop_assert!(!bytes.is_empty());
        }
    }
}
