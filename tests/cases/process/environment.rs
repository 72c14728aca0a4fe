//! What a program starts with: variables, directory, descriptors, limits, signals.

use crate::support::executable::write_script;
use crate::support::session::{assert_error, program};
use crate::support::{Ccctl, Daemon};
use ccd_protocol::session::SessionCreateParams;
use ccd_protocol::{ErrorCode, Inherited, Resource};
use std::collections::BTreeMap;

/// A request with only a program.
fn bare(program: &str, args: &[&str]) -> SessionCreateParams {
    SessionCreateParams {
        program: Some(program.to_owned()),
        args: args.iter().map(|&arg| arg.to_owned()).collect(),
        cwd: Some("/".to_owned()),
        ..SessionCreateParams::default()
    }
}

fn of_env(variables: BTreeMap<String, String>) -> Inherited {
    Inherited {
        caller_env: Some(variables),
        ..Inherited::default()
    }
}

/// Returns the output of a program that exits by itself.
fn output(daemon: &Daemon, params: &SessionCreateParams) -> String {
    let session = daemon.open_with(params);
    assert_eq!(session.ended().exitstatus, Some(0), "{}", session.output());
    session.output()
}

fn variables(daemon: &Daemon, params: &SessionCreateParams) -> BTreeMap<String, String> {
    let text = output(daemon, params);
    let lines = text.lines().map(|line| line.split_once('=').expect(line));
    lines
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[test]
fn a_bare_request_gets_a_clean_environment_and_the_secrets_of_the_daemon_reach_no_session() {
    let daemon = Daemon::start();
    let variables = variables(&daemon, &bare("env", &[]));
    let names: Vec<&str> = variables.keys().map(String::as_str).collect();
    assert_eq!(
        names.join(" "),
        "CCD_SESSION_ID COLORTERM HOME LANG LOGNAME PATH SHELL TERM USER"
    );
    assert_eq!(variables["TERM"], "xterm-256color");
    assert_eq!(variables["COLORTERM"], "truecolor");
    assert!(variables["HOME"].starts_with('/'));
    assert!(variables["PATH"].contains("/usr/bin"));
    // The daemon itself has the variable, because the test started it with that.
    let environ = std::fs::read(format!("/proc/{}/environ", daemon.pid())).unwrap();
    assert!(String::from_utf8_lossy(&environ).contains("CCD_SECRET_OF_THE_DAEMON"));
    let caller = BTreeMap::from([("CALLERS".to_owned(), "own".to_owned())]);
    for params in [
        bare("sh", &["-c", "cat /proc/self/environ | tr '\\0' '\\n'"]),
        SessionCreateParams {
            inherited: of_env(caller),
            ..bare("/usr/bin/env", &[])
        },
    ] {
        let text = output(&daemon, &params);
        assert!(text.contains("CCD_SESSION_ID="), "{text}");
        assert!(!text.contains("CCD_SECRET_OF_THE_DAEMON"), "{text}");
        assert!(!text.contains("CCD_HOME"), "{text}");
    }
}

#[test]
fn the_callers_environment_comes_as_it_is_with_the_given_variables_over_it() {
    let daemon = Daemon::start();
    let caller = [
        ("PATH", "/usr/bin:/bin"),
        ("A", "caller"),
        ("B", "caller"),
        ("EMPTY", ""),
        ("LINES", "99"),
        ("COLUMNS", "99"),
        ("TERM", "dumb"),
        ("COLORTERM", "24bit"),
    ];
    let mut params = SessionCreateParams {
        inherited: of_env(caller.map(|(a, b)| (a.to_owned(), b.to_owned())).into()),
        env: [("B".to_owned(), "given = 1".to_owned())].into(),
        id: Some("here".to_owned()),
        ..bare("env", &[])
    };
    let found = variables(&daemon, &params);
    let expected = [
        ("A", "caller"),
        ("B", "given = 1"),
        ("CCD_SESSION_ID", "here"),
        ("COLORTERM", "truecolor"),
        ("EMPTY", ""),
        ("PATH", "/usr/bin:/bin"),
        // The type of the session's terminal, not of the caller's.
        ("TERM", "xterm-256color"),
    ];
    let expected = expected.map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(found, BTreeMap::from(expected));
    params.env.insert("TERM".to_owned(), "vt100".to_owned());
    let found = variables(&daemon, &params);
    assert_eq!(found["TERM"], "vt100");
    assert!(!found.contains_key("COLORTERM"), "{found:?}");
    params.term = Some("screen".to_owned());
    assert_eq!(variables(&daemon, &params)["TERM"], "screen");
    for wrong in ["", "a b", "../x", &"x".repeat(65)] {
        params.term = Some(wrong.to_owned());
        assert_error(&daemon.refused(&params), ErrorCode::InvalidArgument);
    }
}

#[test]
fn a_program_is_looked_for_on_the_sessions_path() {
    let daemon = Daemon::start();
    let folder = daemon.home().join("programs");
    std::fs::create_dir(&folder).unwrap();
    let script = folder.join("only-here");
    write_script(&script, "#!/bin/sh\necho found\n");
    let mut params = bare("only-here", &[]);
    assert_error(&daemon.refused(&params), ErrorCode::SpawnFailed);
    let path = folder.display().to_string();
    params.env.insert("PATH".to_owned(), path.clone());
    assert_eq!(output(&daemon, &params), "found\n");
    params.env.clear();
    params.inherited = of_env([("PATH".to_owned(), path)].into());
    assert_eq!(output(&daemon, &params), "found\n");
    // A name with a slash is a path, relative to the session's directory.
    let relative = SessionCreateParams {
        cwd: Some(daemon.home().display().to_string()),
        ..bare("programs/only-here", &[])
    };
    assert_eq!(output(&daemon, &relative), "found\n");
}

#[test]
fn a_program_starts_in_its_folder_else_in_the_users_home() {
    let daemon = Daemon::start();
    let home = daemon.home().canonicalize().unwrap();
    let given = SessionCreateParams {
        cwd: Some(home.display().to_string()),
        ..bare("pwd", &["-P"])
    };
    assert_eq!(output(&daemon, &given), format!("{}\n", home.display()));
    let none = SessionCreateParams {
        cwd: None,
        ..program(&daemon, "pwd", &["-P"])
    };
    assert_eq!(output(&daemon, &none), format!("{}\n", home.display()));
}

#[test]
fn terminal_descriptors_limits_and_mask_are_as_a_login_has_them() {
    let daemon = Daemon::start();
    // Other sessions are open: their descriptors must not be inherited either.
    let _others: Vec<_> = (0..5).map(|_| daemon.open("cat", &[])).collect();
    let mut listing = bare("sh", &["-c", "ls -l /proc/self/fd | cat"]);
    // With and without a limit, a program is started in different ways.
    for limits in [None, Some((Resource::Core, Some(0)))] {
        listing.inherited.limits = limits.into_iter().collect();
        let text = output(&daemon, &listing);
        let links: Vec<(&str, &str)> = text
            .lines()
            .filter_map(|line| line.split_once(" -> "))
            .map(|(left, to)| (left.rsplit(' ').next().unwrap(), to))
            .collect();
        // Standard input, the pipe, standard error, and the directory that is listed.
        let numbers: Vec<&str> = links.iter().map(|link| link.0).collect();
        assert_eq!(numbers, ["0", "1", "2", "3"], "{text}");
        assert!(links[0].1.starts_with("/dev/pts/"), "{text}");
        assert_eq!(links[2].1, links[0].1, "{text}");
        assert!(links[3].1.starts_with("/proc/"), "{text}");
    }

    let script = "tty; echo through /dev/tty > /dev/tty; ps -o sid= -p $$ | tr -d ' '; echo $$";
    let text = output(&daemon, &bare("sh", &["-c", script]));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("/dev/pts/"), "{text}");
    assert_eq!(lines[1], "through /dev/tty");
    assert_eq!(lines[2], lines[3], "it leads its session");

    // The daemon may have raised its own limit; it was started with the limit of the test.
    let own = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let shown = |limit: Option<u64>| limit.map_or("unlimited".to_owned(), |n| n.to_string());
    let script = "ulimit -Sn; ulimit -Hn; umask";
    let text = output(&daemon, &bare("sh", &["-c", script]));
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap(), shown(own.current));
    assert_eq!(lines.next().unwrap(), shown(own.maximum));
    assert_eq!(lines.next().unwrap().trim(), "0022");
}

#[test]
fn the_client_passes_its_environment_and_folder_on() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let home = daemon.home().canonicalize().unwrap();
    let mut command = ccctl.command(&["run", "--", "sh", "-c", "echo $GREETING $TERM; pwd -P"]);
    command
        .env("GREETING", "hello")
        .env("TERM", "dumb")
        .current_dir(&home);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, format!("hello xterm-256color\n{}\n", home.display()));
    let chosen = ccctl.ok(&["run", "--term", "vt100", "--", "sh", "-c", "echo $TERM"]);
    assert_eq!(chosen, "vt100\n");
    let clean = ccctl.ok(&["run", "--clean-env", "--", "env"]);
    assert!(!clean.contains("CCD_NO_START"), "{clean}");
    assert!(clean.contains("LANG=C.UTF-8"), "{clean}");
}
