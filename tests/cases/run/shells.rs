//! Shells, and the commands that tests run in them.

use crate::support::Daemon;
use crate::support::session::{OpenSession, assert_error, lacks, message_of, program};
use ccd_protocol::session::{SessionCreateParams, SessionRunParams, SessionRunReply};
use ccd_protocol::{ErrorCode, Timeout};
use serde_json::Value;

/// Opens a shell in its home, with this text as its start-up file.
pub(super) fn open<'a>(
    daemon: &'a Daemon,
    shell: &str,
    args: &[&str],
    rc: &str,
    is_integrated: bool,
) -> OpenSession<'a> {
    let name = match shell {
        "fish" => ".config/fish/config.fish".to_owned(),
        "dash" => ".shinit".to_owned(),
        _ => format!(".{shell}rc"),
    };
    let path = daemon.home().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, rc).unwrap();
    let mut params = SessionCreateParams {
        shell: is_integrated,
        cwd: Some(daemon.home().display().to_string()),
        ..program(daemon, shell, args)
    };
    params.env.insert("ENV".into(), path.display().to_string());
    params.env.insert("LC_ALL".into(), "C.UTF-8".into());
    daemon.open_with(&params)
}

/// Opens a shell whose start-up file sets a prompt at most; with one, zsh does not run its wizard for new users.
pub(super) fn open_fresh<'a>(
    daemon: &'a Daemon,
    shell: &str,
    is_integrated: bool,
) -> OpenSession<'a> {
    let rc = match shell {
        "bash" | "zsh" => format!("PS1='{shell}> '\n"),
        _ => String::new(),
    };
    open(daemon, shell, &[], &rc, is_integrated)
}

/// Passes each of these shells that is installed to `check`, with a daemon of its own.
pub(super) fn each_shell(shells: &[(&str, bool)], check: impl Fn(&str, &Daemon, &OpenSession<'_>)) {
    for &(shell, is_integrated) in shells {
        if !lacks(&[shell]) {
            let daemon = Daemon::start();
            check(shell, &daemon, &open_fresh(&daemon, shell, is_integrated));
        }
    }
}

pub(super) fn try_run(
    session: &OpenSession<'_>,
    command: &str,
    timeout_ms: f64,
) -> Result<SessionRunReply, Value> {
    session.try_run(SessionRunParams {
        command: command.to_owned(),
        timeout_ms: Timeout::After(timeout_ms),
        ..SessionRunParams::default()
    })
}

/// Runs a command, and asserts its output and status.
#[track_caller]
pub(super) fn assert_runs(session: &OpenSession<'_>, command: &str, output: &str, status: i32) {
    let reply = session.run(command);
    let found = (&*reply.output, reply.exit_code);
    let shell = &session.record.program;
    let text = session.output();
    assert_eq!(
        found,
        (output, Some(status)),
        "{shell}: {command}: {reply:?}\n{text}"
    );
}

/// Asserts that the shell takes no command; returns the message of the error.
#[track_caller]
pub(super) fn assert_busy(session: &OpenSession<'_>, command: &str, timeout_ms: f64) -> String {
    let error = try_run(session, command, timeout_ms).unwrap_err();
    assert_error(&error, ErrorCode::ShellBusy);
    message_of(&error).to_owned()
}

/// Asserts that the command keeps running when the time is over.
#[track_caller]
pub(super) fn assert_late(session: &OpenSession<'_>, command: &str, timeout_ms: f64) -> Value {
    let error = try_run(session, command, timeout_ms).unwrap_err();
    assert_error(&error, ErrorCode::Timeout);
    error
}
