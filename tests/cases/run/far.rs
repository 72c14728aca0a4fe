//! `session.run` in a shell on a terminal that the daemon cannot see.

use super::shells::{assert_runs, try_run};
use crate::support::Daemon;
use crate::support::session::{OpenSession, assert_error, assert_lacks, lacks};
use crate::support::sshd::OtherHost;
use ccd_protocol::ErrorCode;

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
    let path = format!("/usr/bin/{shell}");
    Some(daemon.open("su", &["--pty", "--shell", &path, "root"]))
}

#[test]
fn a_far_shell_gives_the_output_as_a_near_one_does() {
    for shell in ["bash", "dash", "zsh", "fish"] {
        let daemon = Daemon::start();
        let Some(session) = behind_su(&daemon, shell) else {
            continue;
        };
        for _ in 0..2 {
            assert_runs(&session, "echo 1; echo 2; sh -c 'exit 3'", "1\n2\n", 3);
        }
        let command = "printf 'a\\r\\nb'; echo \"it's\"";
        assert_runs(&session, command, "a\r\nbit's\n", 0);
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
    assert_runs(&session, "echo bash", "bash\n", 0);
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
    let session = daemon.open("script", &args);
    session.shows(">>>");
    let error = try_run(&session, "echo there", 10_000.0).unwrap_err();
    assert_error(&error, ErrorCode::NotAShell);
    let text = session.output();
    assert_lacks(&text, ["echo there"]);
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
        let args: Vec<&str> = ssh.get_args().map(|arg| arg.to_str().unwrap()).collect();
        // The options come before the host.
        let args = ["-tt", args[0], args[1], args[2], shell];
        let session = daemon.open(ssh.get_program().to_str().unwrap(), &args);
        assert_runs(&session, "echo 1; echo 2; sh -c 'exit 3'", "1\n2\n", 3);
        let reply = session.run("for i in 1 2; do echo $i; done");
        match shell {
            "fish" => assert!(reply.exit_code > Some(0), "{reply:?}"),
            _ => assert_eq!(reply.output, "1\n2\n"),
        }
        assert_runs(&session, "echo last", "last\n", 0);
    }
}
