//! fish: the same promises as for POSIX shells, in its own language.

use std::path::Path;

use super::driver_tests::{Given, LiveShell, find};
use super::integrated;

/// Passes a fish to `test`, unless it is not installed.
fn with_fish(is_integrated: bool, test: impl FnOnce(&mut LiveShell, &Path)) {
    let Some(program) = find("fish") else {
        eprintln!("skipped: fish is not installed");
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let (args, env) = if is_integrated {
        let rc = home.path().join("rc dir");
        let integration = integrated(&program, &[], |_| None, &rc, home.path()).unwrap();
        assert!(integration.has_marks);
        (integration.args, integration.env)
    } else {
        (Vec::new(), Vec::new())
    };
    test(
        &mut LiveShell::start(&program, &args, &env, home.path()),
        home.path(),
    );
}

const CASES: &[(&str, &str, i32)] = &[
    ("printf abc", "abc", 0),
    ("sh -c 'exit 7'", "", 7),
    ("", "", 0),
    ("for i in 1 2\n  echo $i\nend\n", "1\n2\n", 0),
    ("echo 'hi!' !x \"$HOME\"'s'", "hi! !x HOMEs\n", 0),
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

fn every_command_is_exact(shell: &mut LiveShell, given: Given, home: &Path) {
    for (command, output, status) in CASES {
        let outcome = shell.run(command.as_bytes(), given);
        let written = String::from_utf8_lossy(&outcome.output).into_owned();
        let expected = output.replace("HOME", home.to_str().unwrap());
        // fish says how a program was killed.
        let is_right = written == expected || *status > 128;
        assert!(is_right, "{command}, {given:?}: {written:?}");
        assert_eq!(
            outcome.exit_code,
            Some(*status),
            "{command}, {given:?}: {written:?}"
        );
        assert!(!outcome.truncated && !outcome.session_ended, "{command}");
    }
    for command in ["echo )", "echo (", "/no/such/program"] {
        let outcome = shell.run(command.as_bytes(), given);
        assert_ne!(outcome.exit_code, Some(0), "{command}, {given:?}");
        assert!(!outcome.output.is_empty(), "{command}, {given:?}");
    }
    assert_eq!(shell.run(b"echo next", given).output, b"next\n");
}

#[test]
fn every_command_is_exact_in_an_integrated_fish() {
    with_fish(true, |shell, home| {
        every_command_is_exact(shell, Given::Editor, home)
    });
}

#[test]
fn every_command_is_exact_in_a_plain_fish() {
    for given in [Given::File, Given::Inline] {
        with_fish(false, |shell, home| {
            every_command_is_exact(shell, given, home)
        });
    }
}

#[test]
fn an_isolated_command_in_fish_is_free_of_others() {
    with_fish(true, |shell, _| {
        shell.run(
            b"sh -c 'while :; do echo noise; sleep 0.2; done' &",
            Given::Editor,
        );
        let outcome = shell.run(b"echo a; sleep 0.5; echo b; false", Given::Isolated);
        assert_eq!(
            (outcome.output.as_slice(), outcome.exit_code),
            (&b"a\nb\n"[..], Some(1))
        );
    });
}

#[test]
fn an_interrupt_ends_the_command_in_fish() {
    with_fish(true, |shell, _| {
        let mut is_typed = false;
        let outcome = shell.run_with(
            b"echo before; sleep 100\necho after",
            Given::Editor,
            |shell, _| {
                if !is_typed && shell.foreground_program().as_deref() == Some("sleep") {
                    shell.send(b"\x03");
                    is_typed = true;
                }
            },
        );
        assert_eq!(outcome.output, b"before\n^C", "{}", shell.shown());
        assert_eq!(outcome.exit_code, Some(130));
        assert_eq!(shell.run(b"echo next", Given::Editor).output, b"next\n");
    });
}
