//! What a start-up file does to the shell: it becomes another one, or runs a program first.

use super::shells::{assert_busy, assert_runs, open};
use crate::support::Daemon;
use crate::support::session::{assert_lacks, lacks};

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
        let daemon = Daemon::start();
        let session = open(&daemon, shell, &[], &rc, true);
        for _ in 0..2 {
            let command = "echo 'a b'; sh -c 'exit 3'";
            if rc != "set -e" {
                assert_runs(&session, command, "a b\n", 3);
                continue;
            }
            let reply = session.run(command);
            let found = (&*reply.output, reply.session_ended);
            assert_eq!(found, ("a b\n", true), "{reply:?}");
            break;
        }
    }
}

#[test]
fn a_program_that_a_start_file_runs_gets_no_command() {
    for is_integrated in [true, false] {
        let daemon = Daemon::start();
        let session = open(&daemon, "bash", &[], "python3 -q", is_integrated);
        session.expect(">>> ");
        assert_busy(&session, "echo hello", 5_000.0);
        assert_lacks(&session.output(), ["builtin"]);
        session.line("exit()");
        assert_runs(&session, "echo hello", "hello\n", 0);
    }
}
