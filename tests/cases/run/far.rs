//! `session.run` in a shell on a terminal that the daemon cannot see.

use crate::support::Daemon;
use crate::support::session::{OpenSession, assert_error, lacks, program};
use crate::support::sshd::OtherHost;
use ccd_protocol::ErrorCode;
use ccd_protocol::session::SessionRunParams;

/// Opens a shell on a terminal of its own behind `su`, which is what ssh looks like from here; `None` if that is not
/// possible.
fn behind_su<'a>(daemon: &'a Daemon, shell: &str) -> Option<OpenSession<'a>> {
    if lacks(&["su", shell]) {
        return None;
    }
    if !rustix::process::getuid().is_root() {
        eprintln!("skipped: su needs no password only for root");
        return None;
    }
    let session = daemon.open_with(&program(
        daemon,
        "su",
        &["--pty", "--shell", &format!("/usr/bin/{shell}"), "root"],
    ));
    Some(session)
}

#[test]
fn a_far_shell_gives_the_output_as_a_near_one_does() {
    for shell in ["bash", "dash", "zsh", "fish"] {
        let daemon = Daemon::start();
        let Some(session) = behind_su(&daemon, shell) else {
            continue;
        };
        for _ in 0..2 {
            let reply = session.run("echo one; echo two; sh -c 'exit 3'");
            assert_eq!(
                (reply.output.as_str(), reply.exit_code),
                ("one\ntwo\n", Some(3)),
                "{shell}"
            );
        }
        let reply = session.run("printf 'a\\r\\nb'; echo \"it's\"");
        assert_eq!(reply.output, "a\r\nbit's\n", "{shell}");
    }
}

#[test]
fn another_shell_at_the_far_end_is_noticed() {
    let daemon = Daemon::start();
    if lacks(&["fish"]) {
        return;
    }
    let Some(session) = behind_su(&daemon, "bash") else {
        return;
    };
    assert_eq!(session.run("echo bash").output, "bash\n");
    session.line("exec fish --no-config");
    session.expect("/t/[^ ]+# ");
    let reply = session.run("echo $FISH_VERSION; sh -c 'exit 5'");
    assert_eq!(reply.exit_code, Some(5), "{reply:?}");
    assert!(
        reply.output.starts_with(|c: char| c.is_ascii_digit()),
        "{reply:?}"
    );
}

#[test]
fn a_program_behind_a_relay_that_is_no_shell_gets_no_command() {
    if lacks(&["python3", "script"]) {
        return;
    }
    let daemon = Daemon::start();
    let args = ["-qc", "python3 -q", "/dev/null"];
    let session = daemon.open_with(&program(&daemon, "script", &args));
    session.shows(">>>");
    let error = session
        .try_run(SessionRunParams {
            command: "echo there".into(),
            ..SessionRunParams::default()
        })
        .unwrap_err();
    assert_error(&error, ErrorCode::NotAShell);
    let text = session.output();
    assert!(!text.contains("echo there"), "{text:?}");
    assert_eq!(text.matches("Error:").count(), 1, "{text:?}");
}

#[test]
fn a_shell_behind_ssh_gives_exact_output() {
    for shell in ["bash", "fish"] {
        if lacks(&[shell]) {
            continue;
        }
        let Some(host) = OtherHost::start() else {
            return;
        };
        let daemon = Daemon::start();
        let ssh = host.ssh(&[]);
        let program_path = ssh.get_program().to_str().unwrap().to_owned();
        let args: Vec<&str> = ssh.get_args().map(|arg| arg.to_str().unwrap()).collect();
        // The options come before the host.
        let session = daemon.open_with(&program(
            &daemon,
            &program_path,
            &["-tt", args[0], args[1], args[2], shell],
        ));
        let reply = session.run("echo one; echo two; sh -c 'exit 3'");
        assert_eq!(
            (reply.output.as_str(), reply.exit_code),
            ("one\ntwo\n", Some(3)),
            "{shell}"
        );
        let reply = session.run("for i in 1 2; do echo $i; done");
        match shell {
            "fish" => assert!(reply.exit_code > Some(0), "{reply:?}"),
            _ => assert_eq!(reply.output, "1\n2\n"),
        }
        assert_eq!(session.run("echo last").output, "last\n", "{shell}");
    }
}
