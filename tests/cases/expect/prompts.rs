//! Prompts of programs that draw more than a prompt.

use crate::support::Daemon;
use crate::support::session::{OpenSession, assert_error, guesses, lacks, program};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{SessionCreateParams, WaitFor};
use std::time::{Duration, Instant};

/// Starts a program that prints this like a line editor, and then reads keys.
fn drawing<'a>(daemon: &'a Daemon, output: &str) -> OpenSession<'a> {
    let script = format!("stty raw -echo; printf '{output}'; exec cat");
    let session = daemon.open("sh", &["-c", &script]);
    session.wait(WaitFor::Input);
    session
}

#[test]
fn a_prompt_is_what_the_screen_shows_left_of_the_cursor() {
    let daemon = Daemon::start();
    for (what, output) in [
        ("a status bar below", r"app> \0337\r\n[F2] Menu\0338"),
        (
            "a prompt on the right",
            r"~ %% \033[40C12:30 main\033[50D\033[1C",
        ),
        ("a suggestion", r"$ git status\033[10D"),
        ("a line that is drawn again", r"sql> selec\r\033[Ksql> "),
        ("colours", r"\033[1;32m>\033[0m "),
        ("a box", r"+----+\r\n| >  |\r\n+----+\033[A\033[2D"),
        ("a line that wraps", r"%070d/home/ada/src$ "),
    ] {
        let session = drawing(&daemon, output);
        let reply = session.wait(WaitFor::Prompt);
        assert_eq!(reply.reason, "prompt", "{what}");
    }
}

#[test]
fn a_prompt_elsewhere_on_the_screen_does_not_count() {
    let daemon = Daemon::start();
    for output in [
        r"printed last: busy\0337\r\n$ \0338",
        r"wiped out:\r\n$ \033[2K\r",
        r"answered:\r\n$ make\r\n",
    ] {
        let session = drawing(&daemon, output);
        let error = session.try_wait(WaitFor::Prompt, 500.0).unwrap_err();
        assert_error(&error, ErrorCode::Timeout);
    }
}

#[test]
fn line_editors_that_redraw_show_their_prompt_again_after_each_command() {
    let daemon = Daemon::start();
    if guesses(&daemon) {
        return;
    }
    for (name, args, prompts) in [
        (
            "bash",
            &["--norc"][..],
            [r"\n\[\e[32m\]\u@\h\[\e[0m\]\n\[\e[1m\]\$\[\e[0m\] ", ""],
        ),
        ("zsh", &["-f"], ["%~ > ", "right"]),
        ("fish", &["--no-config"], [""; 2]),
        ("sqlite3", &[], [""; 2]),
    ] {
        if lacks(&[name]) {
            continue;
        }
        let mut request: SessionCreateParams = program(&daemon, name, args);
        for (name, value) in ["PS1", "RPS1"].into_iter().zip(prompts) {
            request.env.insert(name.to_owned(), value.to_owned());
        }
        let session = daemon.open_with(&request);
        session.wait(WaitFor::Prompt);
        let sleeps = match name {
            "sqlite3" => ".system sleep 0.3",
            _ => "sleep 0.3",
        };
        for _ in 0..2 {
            let started = Instant::now();
            session.line(sleeps);
            assert_eq!(session.wait(WaitFor::Prompt).reason, "prompt", "{name}");
            let waited = started.elapsed();
            assert!(waited >= Duration::from_millis(300), "{name}: {waited:?}");
        }
    }
}
