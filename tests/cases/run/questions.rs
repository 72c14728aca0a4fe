//! `session.run` never types into what is no prompt, and finds the prompt again whatever a command does to it.

use super::shells::{assert_busy, assert_runs, open, try_run};
use crate::support::session::{assert_has, lacks};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::session::SessionRunParams;
use serde_json::Value;

/// Returns a script that asks a question and prints the answer.
fn answered(question: &str) -> String {
    format!("{question}\necho \"answer was [$a]\"")
}

/// Shells, and the questions that their start-up files ask.
const QUESTIONS: &[(&str, &str)] = &[
    ("bash", "read -p 'Start ssh-agent? [y/N] ' a"),
    ("bash", "read -rsp 'Passphrase for the key? ' a"),
    ("zsh", "read 'a?Start ssh-agent? [y/N] '"),
    ("dash", "printf 'Start ssh-agent? [y/N] '\nread a"),
    ("mksh", "read 'a?Start ssh-agent? [y/N] '"),
];

#[test]
fn a_question_of_a_start_up_file_gets_no_command() {
    for (shell, question) in QUESTIONS {
        if lacks(&[shell]) {
            continue;
        }
        for is_integrated in [true, false] {
            let daemon = Daemon::start();
            let session = open(&daemon, shell, &[], &answered(question), is_integrated);
            session.expect("\\? ");
            let message = assert_busy(&session, "echo hello", 10_000.0);
            assert_has(&message, ["it asks a question: \"", "? "]);
            session.ask("mine", "answer was \\[mine\\]");
            assert_runs(&session, "echo hello", "hello\n", 0);
        }
    }
}

#[test]
fn an_answer_in_a_line_editor_gets_no_command() {
    for (shell, question) in [
        ("bash", "read -e -p 'Start it? ' a"),
        ("zsh", "a=\nvared -p 'Start it? ' a"),
    ] {
        if lacks(&[shell]) {
            continue;
        }
        let daemon = Daemon::start();
        let session = open(&daemon, shell, &[], &answered(question), true);
        session.expect("\\? ");
        let error = try_run(&session, "echo hello", 3_000.0).unwrap_err();
        assert_ne!(error["code"], Value::Null, "{shell}: {error}");
        session.ask("mine", "answer was \\[mine\\]");
        assert_runs(&session, "echo hello", "hello\n", 0);
        // The same question by a command that somebody typed.
        session.line(question.lines().last().unwrap());
        session.expect("Start it\\? [^\\n]*$");
        assert_busy(&session, "echo hello", 3_000.0);
        session.line("yours");
        let answer = session.run("echo got $a").output;
        assert!(answer.ends_with("yours\n"), "{shell}: {answer}");
    }
}

#[test]
fn a_command_that_replaces_the_prompt_ends() {
    for (shell, commands) in [
        (
            "bash",
            &[
                "PS1='[P]' PS2='' PROMPT_COMMAND=''",
                "unset PROMPT_COMMAND; PS1='> '; echo c",
                "PROMPT_COMMAND= PS1='a\\nb$ ' PS0=; printf x",
            ][..],
        ),
        (
            "zsh",
            &[
                "PS1='[P]' PS2='' precmd_functions=() preexec_functions=()",
                "unsetopt prompt_sp prompt_cr; precmd_functions=(); PS1='> '; echo c",
            ],
        ),
    ] {
        if lacks(&[shell]) {
            continue;
        }
        let daemon = Daemon::start();
        let session = open(&daemon, shell, &[], "", true);
        for command in commands {
            let written = match command {
                command if command.ends_with("echo c") => "c\n",
                command if command.ends_with("printf x") => "x",
                _ => "",
            };
            assert_runs(&session, command, written, 0);
            assert_runs(&session, "echo next; (exit 3)", "next\n", 3);
        }
    }
}

#[test]
fn a_command_that_replaces_the_shell_ends() {
    for shell in ["bash", "zsh"] {
        if lacks(&[shell]) {
            continue;
        }
        for (command, program) in [("exec bash --norc", "bash"), ("exec zsh -f", "zsh")] {
            if lacks(&[program]) {
                continue;
            }
            let daemon = Daemon::start();
            let session = open(&daemon, shell, &[], "", true);
            let reply = session.run(&format!("echo bye; {command}"));
            let found = (&*reply.output, reply.exit_code);
            assert_eq!(found, ("bye\n", Some(0)), "{shell}: {command}");
            assert_eq!(reply.warnings.len(), 1, "{reply:?}");
            assert_runs(&session, "echo next; (exit 3)", "next\n", 3);
        }
    }
}

#[test]
fn the_status_of_a_shell_that_ends_inside_another_is_not_invented() {
    for (program, args) in [
        ("bash", ["-c", "bash --norc; echo over; sleep 0.2"]),
        (
            "python3",
            ["-c", "import os; os.system('bash --norc'); print('over')"],
        ),
        ("script", ["-qc", "bash --norc"]),
    ] {
        if lacks(&[program]) {
            continue;
        }
        for command in ["echo bye; exit 3", "set -e; echo bye; false"] {
            let daemon = Daemon::start();
            let session = daemon.open(program, &args);
            session.expect("[$#>] ");
            let reply = session.run(command);
            assert_eq!(reply.exit_code, None, "{program}: {reply:?}");
            assert_has(&reply.output, ["bye\n"]);
            assert_has(&reply.warnings[0], ["not known"]);
            let daemon = Daemon::start();
            let session = daemon.open(program, &args);
            session.expect("[$#>] ");
            let ran = Ccctl::new(&daemon).run(&["session", "run", session.id(), command]);
            assert_eq!(ran.code, Some(1), "{program}: {}", ran.stderr);
        }
    }
}

#[test]
fn an_answer_of_the_terminal_is_no_part_of_the_next_command() {
    for (shell, args, is_integrated) in [
        ("dash", &[][..], false),
        ("bash", &["--norc"], false),
        ("zsh", &["-f"], false),
        ("bash", &[], true),
        ("zsh", &[], true),
    ] {
        if lacks(&[shell]) {
            continue;
        }
        let daemon = Daemon::start();
        let session = open(&daemon, shell, args, "", is_integrated);
        // The answer to the last one would be a search in bash's history.
        for (query, answer) in [
            ("printf '\\033[c'", "2c"),
            ("printf '\\033[6n\\033[c'; true", "2c"),
            ("printf '\\033[>q'", "ccd "),
        ] {
            session.run(query);
            eventually("the answer is there", || {
                session.output().contains(answer).then_some(())
            });
            assert_runs(&session, "seq 1 3; sh -c 'exit 3'", "1\n2\n3\n", 3);
        }
    }
}

#[test]
fn what_a_debug_trap_prints_about_the_prompt_is_no_output() {
    let daemon = Daemon::start();
    let rc = "trap 'printf \"<%s>\" \"$BASH_COMMAND\"' DEBUG\nPS1='$ '\n";
    let session = open(&daemon, "bash", &[], rc, true);
    session.run("true");
    let reply = session.run("echo here");
    assert_eq!(reply.output, "<echo here>here\n", "{}", session.output());
}

#[test]
fn zsh_has_its_own_status_for_errors_however_a_command_is_typed() {
    if lacks(&["zsh"]) {
        return;
    }
    let daemon = Daemon::start();
    for (args, is_integrated) in [(&["-f"][..], false), (&[], true)] {
        let session = open(&daemon, "zsh", args, "", is_integrated);
        for (command, status) in [
            ("echo what?", 1),
            ("echo ${x:?gone}", 1),
            ("echo a; fi", 1),
            ("(exit 126)", 126),
        ] {
            assert_eq!(session.run(command).exit_code, Some(status), "{command}");
            let isolated = session.try_run(SessionRunParams {
                command: command.to_owned(),
                isolate: true,
                ..SessionRunParams::default()
            });
            assert_eq!(isolated.unwrap().exit_code, Some(status), "{command}");
        }
    }
}

#[test]
fn a_shell_that_reads_no_start_file_of_ccd_is_named_at_the_start() {
    for (shell, arg) in [("bash", "--norc"), ("zsh", "-f")] {
        if lacks(&[shell]) {
            continue;
        }
        let daemon = Daemon::start();
        let words = [
            "session", "create", "--name", "plain", "--shell", "--", shell, arg,
        ];
        let ran = Ccctl::new(&daemon).run(&words);
        assert_has(&ran.stderr, ["reads no start file of ccd"]);
        let ran = Ccctl::new(&daemon).run(&["session", "run", "plain", "echo a; (exit 3)"]);
        assert_eq!((&*ran.stdout, ran.code), ("a\n", Some(3)));
    }
}

#[test]
fn output_beyond_the_size_of_a_reply_is_printed_whole() {
    let daemon = Daemon::start();
    let session = daemon.open_bash();
    let words = ["session", "run", session.id(), "seq 1 3000000"];
    let ran = Ccctl::new(&daemon).run(&words);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().count(), 3_000_000);
    assert!(ran.stdout.ends_with("\n2999999\n3000000\n"));
    let isolated = ["session", "run", session.id(), "--isolate", "seq 1 3000000"];
    let ran = Ccctl::new(&daemon).run(&isolated);
    assert_eq!(ran.code, Some(1));
    assert_has(&ran.stderr, ["missing"]);
}

#[test]
fn a_question_that_is_answered_with_a_key_gets_no_command() {
    for (shell, question) in [
        ("bash", "read -n1 -p 'Delete? [y/N] ' a"),
        ("zsh", "read -k1 'a?Delete? [y/N] '"),
    ] {
        if lacks(&[shell]) {
            continue;
        }
        let daemon = Daemon::start();
        let session = open(&daemon, shell, &[], &answered(question), true);
        session.expect("N\\] ");
        assert_busy(&session, "echo hello", 10_000.0);
        session.text("n");
        session.expect("answer was \\[n\\]");
        assert_runs(&session, "echo hello", "hello\n", 0);
        // The command itself asks: nothing but the answer is typed.
        let reply = std::thread::scope(|scope| {
            let run = scope.spawn(|| session.run(&answered(question)));
            session.expect("N\\] ");
            assert_busy(&session, "echo other", 1500.0);
            session.text("q");
            run.join().unwrap()
        });
        assert!(reply.output.ends_with("answer was [q]\n"), "{reply:?}");
    }
}

#[test]
fn half_a_line_with_a_question_about_it_is_left_alone() {
    if lacks(&["zsh"]) {
        return;
    }
    let daemon = Daemon::start();
    let many = daemon.home().join("many");
    std::fs::create_dir(&many).unwrap();
    for number in 0..150 {
        std::fs::write(many.join(format!("file{number}")), "").unwrap();
    }
    let session = open(&daemon, "zsh", &[], "", true);
    session.run("true");
    let left = daemon.home().join("left");
    session.text(&format!("touch {}; ls {}/", left.display(), many.display()));
    session.keys(&["Tab", "Tab"]);
    session.expect("possibilities|lines");
    assert_busy(&session, "echo hello", 5_000.0);
    assert!(!left.exists());
}

#[test]
fn a_prompt_command_that_cannot_be_changed_changes_nothing() {
    let daemon = Daemon::start();
    let rc = "readonly PROMPT_COMMAND='history -a'\n";
    let session = open(&daemon, "bash", &[], rc, true);
    let counted = daemon.home().join("counted");
    for _ in 0..2 {
        let command = format!("echo x >> {}; echo y; (exit 3)", counted.display());
        assert_runs(&session, &command, "y\n", 3);
    }
    assert_eq!(std::fs::read_to_string(&counted).unwrap(), "x\nx\n");
}

#[test]
fn a_question_that_a_command_asks_is_named_to_the_next() {
    for (shell, command, question) in [
        ("bash", "select x in a b; do echo $x; break; done", "#?"),
        ("zsh", "read -k 1 'a?Sure? '", "Sure?"),
    ] {
        if lacks(&[shell]) {
            continue;
        }
        let daemon = Daemon::start();
        let session = open(&daemon, shell, &[], "", true);
        try_run(&session, command, 1_000.0).unwrap_err();
        let message = assert_busy(&session, "echo next", 1_000.0);
        assert_has(&message, ["it asks a question", question]);
    }
}
