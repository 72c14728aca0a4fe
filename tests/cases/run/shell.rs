//! `session.run`: exactly a command's output and exit status, in every shell.

use crate::support::Daemon;
use crate::support::session::{OpenSession, lacks, program};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::session::{SessionCreateParams, SessionRunParams, SessionRunReply};

fn bytes_of(reply: &SessionRunReply) -> Vec<u8> {
    match &reply.output_b64 {
        Some(bytes) => STANDARD.decode(bytes).unwrap(),
        None => reply.output.clone().into_bytes(),
    }
}

/// Runs commands of several kinds in this order. Those of all kinds, in all shells, are tests of ccd-session.
fn run_commands(session: &OpenSession<'_>) {
    let marks = "printf '\\033]133;D;0;fake\\007\\033]133;C\\007x\\033]133;D;1\\033\\\\'";
    for (command, output, status) in [
        ("printf abc; (exit 7)", &b"abc"[..], 7),
        ("cat <<'E'\na 'b' $d `e` \\f\nE", b"a 'b' $d `e` \\f\n", 0),
        ("printf '\\000\\377\\001'", b"\0\xff\x01", 0),
        ("printf 'a\\r\\nb\\r\\r\\n\\r'", b"a\r\nb\r\r\n\r", 0),
        // Output that looks like the daemon's own marks.
        (
            marks,
            b"\x1b]133;D;0;fake\x07\x1b]133;C\x07x\x1b]133;D;1\x1b\\",
            0,
        ),
        ("kept='a b'; cd /; umask 027", b"", 0),
        (
            "echo \"$kept $PWD $(umask | tail -c 4)\"",
            b"a b / 027\n",
            0,
        ),
        (
            "head -c 300000 /dev/zero | tr '\\000' x",
            &[b'x'; 300_000],
            0,
        ),
        ("", b"", 0),
    ] {
        let reply = session.run(command);
        assert_eq!(reply.exit_code, Some(status), "{command}: {reply:?}");
        assert!(bytes_of(&reply) == output, "{command}: {reply:?}");
        assert!(!reply.session_ended && !reply.truncated, "{command}");
        assert!(reply.start <= reply.end, "{command}");
    }
    for command in ["echo a; fi", "echo 'abc", "/no/such/program"] {
        let reply = session.run(command);
        assert!(reply.exit_code > Some(0), "{command}: {reply:?}");
        assert!(!reply.session_ended, "{command}");
    }
    let killed = session.run("sh -c 'kill -9 $$'");
    assert_eq!(killed.exit_code, Some(137));
    assert_eq!(session.run("echo end").output, "end\n");
}

fn shell_in<'a>(
    daemon: &'a Daemon,
    shell: &str,
    args: &[&str],
    integrated: bool,
) -> OpenSession<'a> {
    daemon.open_with(&SessionCreateParams {
        shell: integrated,
        ..program(daemon, shell, args)
    })
}

#[test]
fn every_command_is_exact_in_a_bash_with_a_busy_prompt() {
    let daemon = Daemon::start();
    let rc = r"PROMPT_COMMAND='printf busy'
PS1='\[\033[1;32m\]\u@\h\[\033[0m\]\n\w\$ '
trap 'true' DEBUG
";
    std::fs::write(daemon.home().join(".bashrc"), rc).unwrap();
    run_commands(&shell_in(&daemon, "bash", &[], true));
    run_commands(&shell_in(&daemon, "bash", &["-i"], false));
}

#[test]
fn every_command_is_exact_in_dash() {
    if lacks(&["dash"]) {
        return;
    }
    let daemon = Daemon::start();
    run_commands(&shell_in(&daemon, "dash", &[], false));
    run_commands(&shell_in(&daemon, "dash", &[], true));
}

#[test]
fn every_command_is_exact_in_a_shell_within_the_shell() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    bash.ask("PS1='inner> ' sh", "\ninner> |\n\r?inner> ");
    let reply = bash.run("printf abc; (exit 7)");
    assert_eq!((reply.output.as_str(), reply.exit_code), ("abc", Some(7)));
    bash.ask("exit", "ready> ");
    assert_eq!(bash.run("echo outer").output, "outer\n");
}

#[test]
fn marks_are_not_shown_to_readers() {
    let daemon = Daemon::start();
    let bash = shell_in(&daemon, "bash", &[], true);
    bash.run("echo words");
    let text = bash.output();
    assert!(text.contains("\n\rwords\n"), "{text:?}");
    assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
}

#[test]
fn a_run_begins_and_ends_at_its_output() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    let reply = bash.try_run(SessionRunParams {
        command: "echo one; echo two".to_owned(),
        ..SessionRunParams::default()
    });
    let reply = reply.unwrap();
    let raw = bash.bytes();
    let part = &raw[usize::try_from(reply.start).unwrap()..usize::try_from(reply.end).unwrap()];
    let part = String::from_utf8_lossy(part);
    assert!(part.contains("one\r\ntwo\r\n"), "{part:?}");
    assert!(reply.duration_ms < 30_000);
}

#[test]
fn functions_named_as_what_prints_the_marks_are_not_called() {
    let daemon = Daemon::start();
    for shell in ["bash", "dash", "zsh", "mksh"] {
        if lacks(&[shell]) {
            continue;
        }
        let session = shell_in(&daemon, shell, &[], true);
        session.run("printf() { echo mine; }; print() { echo mine; }");
        let reply = session.run("printf; (exit 3)");
        assert_eq!(
            (reply.output.as_str(), reply.exit_code),
            ("mine\n", Some(3)),
            "{shell}"
        );
    }
}
