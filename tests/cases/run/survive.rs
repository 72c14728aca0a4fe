//! `session.run` when the worker is killed while the command runs.

use super::shells::{self, assert_runs};
use crate::support::session::OpenSession;
use crate::support::worker::{is_one_process, kill_worker};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::session::SessionRunParams;

fn asked(command: &str, run_id: &str) -> SessionRunParams {
    SessionRunParams {
        command: command.to_owned(),
        run_id: Some(run_id.to_owned()),
        ..SessionRunParams::default()
    }
}

/// Passes shells that take commands in each way to `check`.
fn each_shell(check: impl Fn(&Daemon, &OpenSession<'_>)) {
    let shells = [
        ("bash", true),
        ("zsh", true),
        ("fish", true),
        ("dash", false),
    ];
    shells::each_shell(&shells, |_, daemon, session| {
        if !is_one_process(daemon) {
            check(daemon, session);
        }
    });
}

#[test]
fn the_client_gets_the_outcome_of_a_command_that_outlived_the_worker() {
    each_shell(|daemon, session| {
        let go = daemon.home().join("go");
        let command = format!(
            "echo begun; until test -e {0}; do sleep 0.05; done; echo done; sh -c 'exit 4'",
            go.display()
        );
        let command = if session.record.program.ends_with("fish") {
            command
                .replace("until test", "while not test")
                .replace(" do ", " ")
                .replace("done; e", "end; e")
        } else {
            command
        };
        let ran = std::thread::scope(|scope| {
            let run =
                scope.spawn(|| Ccctl::new(daemon).run(&["session", "run", session.id(), &command]));
            session.expect(r"[\r\n]begun\n");
            kill_worker(daemon);
            std::fs::write(&go, "").unwrap();
            run.join().unwrap()
        });
        let printed = (&*ran.stdout, ran.code);
        assert_eq!(printed, ("begun\ndone\n", Some(4)), "{}", ran.stderr);
        assert_runs(session, "echo next", "next\n", 0);
    });
}

#[test]
fn a_repeated_request_does_not_run_the_command_again() {
    each_shell(|daemon, session| {
        let count = daemon.home().join("count");
        let command = format!("echo x >>{}; echo said", count.display());
        let first = session.try_run(asked(&command, "one")).unwrap();
        let again = session.try_run(asked(&command, "one")).unwrap();
        kill_worker(daemon);
        eventually("the next worker serves", || {
            daemon.listed(false).first().cloned()
        });
        let later = session.try_run(asked(&command, "one")).unwrap();
        for reply in [&again, &later] {
            assert_eq!(
                (&reply.output, reply.exit_code, reply.start, reply.end),
                (&first.output, first.exit_code, first.start, first.end)
            );
        }
        assert_eq!(std::fs::read_to_string(&count).unwrap(), "x\n");
        session.try_run(asked(&command, "two")).unwrap();
        assert_eq!(std::fs::read_to_string(&count).unwrap(), "x\nx\n");
    });
}
