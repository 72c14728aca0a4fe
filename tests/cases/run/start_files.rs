//! What a start-up file does to the shell: it becomes another one, or runs a program first.

use super::questions::{open, try_run};
use crate::support::Daemon;
use crate::support::session::{assert_error, lacks};
use ccd_protocol::ErrorCode;

#[test]
fn a_shell_that_the_start_file_made_another_runs_commands() {
    let again = |exec| format!("[ -n \"$AGAIN\" ] || AGAIN=1 exec {exec}");
    for (shell, needs, rc) in [
        ("bash", "dash", again("dash")),
        ("bash", "zsh", again("zsh -f")),
        ("bash", "fish", again("fish")),
        ("fish", "bash", "exec bash --norc".to_owned()),
        ("zsh", "zsh", "precmd_functions=(nonexistent)".to_owned()),
        ("zsh", "zsh", "emulate sh".to_owned()),
        ("zsh", "zsh", "emulate ksh".to_owned()),
        ("zsh", "zsh", "setopt posix_identifiers".to_owned()),
        ("zsh", "zsh", "setopt correct correct_all".to_owned()),
        ("bash", "bash", "set -e".to_owned()),
    ] {
        if lacks(&[shell, needs]) {
            continue;
        }
        let name = match shell {
            "fish" => ".config/fish/config.fish".to_owned(),
            _ => format!(".{shell}rc"),
        };
        let daemon = Daemon::start();
        let session = open(&daemon, shell, &[], (&name, &rc), true);
        for _ in 0..2 {
            let reply = session.run("echo 'a b'; sh -c 'exit 3'");
            if rc == "set -e" {
                assert_eq!(
                    (&*reply.output, reply.session_ended),
                    ("a b\n", true),
                    "{reply:?}"
                );
                break;
            }
            assert_eq!(
                (&*reply.output, reply.exit_code),
                ("a b\n", Some(3)),
                "{rc}: {}",
                session.output()
            );
        }
    }
}

#[test]
fn a_program_that_a_start_file_runs_gets_no_command() {
    for is_integrated in [true, false] {
        let daemon = Daemon::start();
        let rc = "python3 -q";
        let session = open(&daemon, "bash", &[], (".bashrc", rc), is_integrated);
        session.expect(">>> ");
        let error = try_run(&session, "echo hello", 5_000.0).unwrap_err();
        assert_error(&error, ErrorCode::ShellBusy);
        assert!(
            !session.output().contains("builtin"),
            "{}",
            session.output()
        );
        session.line("exit()");
        assert_eq!(session.run("echo hello").output, "hello\n");
    }
}
