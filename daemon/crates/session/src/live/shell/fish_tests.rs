//! fish: the same promises as for POSIX shells, in its own language.

use super::driver_tests::Given;
use super::matrix_tests::{Setup, with_key};

const PLAIN: Setup = Setup::plain("fish", &[]);
const INTEGRATED: Setup = PLAIN.integrated();

const CASES: &[(&str, &str, i32)] = &[
    ("printf abc", "abc", 0),
    ("sh -c 'exit 7'", "", 7),
    ("", "", 0),
    ("for i in 1 2\n  echo $i\nend\n", "1\n2\n", 0),
    ("echo 'hi!' !x \"$TERM\"'s'", "hi! !x xterm-256colors\n", 0),
    ("printf '%s' 'a\tb é'", "a\tb é", 0),
    ("printf 'a\\r\\nb\\r\\r\\n\\r'", "a\r\nb\r\r\n\r", 0),
    ("printf '\\e[31mred\\e[m\\n'", "\x1b[31mred\x1b[m\n", 0),
    ("echo out; echo err >&2; echo out", "out\nerr\nout\n", 0),
    ("set -g kept 'a b'; cd /", "", 0),
    ("echo $kept $PWD", "a b /\n", 0),
    ("test -t 0; and test -t 1; and test -t 2", "", 0),
    ("sh -c 'kill -9 $$'", "", 137),
    ("echo end", "end\n", 0),
];

fn every_command_is_exact(setup: &Setup, given: Given) {
    setup.with_shell(|shell| {
        for (command, output, status) in CASES {
            let outcome = shell.run(command.as_bytes(), given);
            let written = String::from_utf8_lossy(&outcome.output).into_owned();
            // fish says how a program was killed.
            let is_right = written == *output || *status > 128;
            assert!(is_right, "{command}, {given:?}: {written:?}");
            let status = Some(*status);
            assert_eq!(outcome.exit_code, status, "{command}, {given:?}: {written}");
            assert!(!outcome.truncated && !outcome.session_ended, "{command}");
        }
        for command in ["echo )", "echo (", "/no/such/program"] {
            let outcome = shell.run(command.as_bytes(), given);
            assert_ne!(outcome.exit_code, Some(0), "{command}, {given:?}");
            assert!(!outcome.output.is_empty(), "{command}, {given:?}");
        }
        assert_eq!(shell.run(b"echo next", given).output, b"next\n");
    });
}

#[test]
fn every_command_is_exact_in_an_integrated_fish() {
    every_command_is_exact(&INTEGRATED, Given::Editor);
}

#[test]
fn every_command_is_exact_in_a_plain_fish() {
    every_command_is_exact(&PLAIN, Given::File);
    every_command_is_exact(&PLAIN, Given::Inline);
}

#[test]
fn an_isolated_command_in_fish_is_free_of_others() {
    INTEGRATED.with_shell(|shell| {
        let noise = b"sh -c 'while :; do echo noise; sleep 0.2; done' &";
        shell.run(noise, Given::Editor);
        let outcome = shell.run(b"echo a; sleep 0.5; echo b; false", Given::Isolated);
        let found = (outcome.output.as_slice(), outcome.exit_code);
        assert_eq!(found, (&b"a\nb\n"[..], Some(1)));
    });
}

#[test]
fn an_interrupt_ends_the_command_in_fish() {
    INTEGRATED.with_shell(|shell| {
        let command = b"echo before; sleep 100\necho after";
        let outcome = with_key(shell, Given::Editor, command, b"\x03");
        assert_eq!(outcome.output, b"before\n^C", "{}", shell.shown());
        assert_eq!(outcome.exit_code, Some(130));
        assert_eq!(shell.run(b"echo next", Given::Editor).output, b"next\n");
    });
}
