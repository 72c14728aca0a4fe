//! The daemon of another host, through a real sshd.

use crate::support::client::{CCCTL, DETACH, Installation, Ran};
use crate::support::executable::write_script;
use crate::support::session::program;
use crate::support::sshd::OtherHost;
use crate::support::{Daemon, eventually, processes};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

#[test]
fn commands_use_the_daemon_of_another_host_and_its_directories() {
    let Some(host) = OtherHost::start() else {
        return;
    };
    let here = host.ccctl(&[]);
    let here = here.get_current_dir().unwrap().display().to_string();
    // A daemon is started over there, and none here.
    host.ok(&["session", "create", "--name", "sh", "--", "sh"]);
    let status: Value = serde_json::from_str(&host.ok(&["daemon", "status", "--json"])).unwrap();
    let socket = host.installation.socket();
    assert_eq!(status["socket"], socket.to_str().unwrap());
    assert_eq!(fs::read_dir(host.home()).unwrap().count(), 0);
    let echo = ["session", "send", "sh", "echo $((6 * 7))"];
    host.ok(&[&echo[..], &["--expect", "(?m)^42"]].concat());
    for (words, text) in [
        (&["session", "read", "sh"][..], "42"),
        (&["session", "screen", "sh"], "42"),
        (&["ls"], "sh"),
    ] {
        assert!(host.ok(words).contains(text), "{words:?}");
    }

    // Neither the directory nor the environment of the caller is used; bytes and statuses are.
    let script = "pwd; echo ${CALLER-unset} $GIVEN; exit 7";
    let words = ["run", "--env", "GIVEN=1", "--", "sh", "-c", script];
    let ran = Ran::of(host.ccctl(&words).env("CALLER", "set").output().unwrap());
    assert_eq!(ran.code, Some(7), "{ran:?}");
    let directory = ran.stdout.lines().next().unwrap().trim().to_owned();
    assert!(fs::metadata(&directory).is_ok(), "{ran:?}");
    assert_ne!(directory, here, "{ran:?}");
    let lines = ran.stdout.replace('\r', "");
    assert!(lines.ends_with("unset 1\n"), "{ran:?}");
    let pwd = host.ok(&["run", "--cwd", "/usr", "--", "pwd"]);
    assert_eq!(pwd.trim(), "/usr");
    let ran = host.run(&["run", "--cwd", "bin", "--", "pwd"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("give an absolute one"), "{ran:?}");

    let mut sort = host.ccctl(&["run", "--", "sort"]);
    let mut sort = sort.stdin(Stdio::piped()).spawn().unwrap();
    sort.stdin.take().unwrap().write_all(b"b\na\n").unwrap();
    let sorted = Ran::of(sort.wait_with_output().unwrap());
    assert_eq!(sorted.stdout.replace('\r', ""), "a\nb\n", "{sorted:?}");

    // The option says the same as the variable.
    let url = host.url();
    let mut ls = host.ccctl(&["-H", &url, "session", "list", "--json"]);
    let ran = Ran::of(ls.env_remove("CCD_HOST").output().unwrap());
    assert!(ran.stdout.contains("\"sh\""), "{ran:?}");

    let stopped = host.ok(&["daemon", "stop"]);
    assert!(stopped.contains("1 session ended"), "{stopped}");
    for words in [&["daemon", "status"][..], &["ls", "--no-start"]] {
        let ran = host.run(words);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        let told = "no daemon is running at ssh://";
        assert!(ran.stderr.contains(told), "{ran:?}");
    }
    for (words, told) in [
        (&["daemon", "start"][..], "ccd started"),
        (&["daemon", "start"], "already running"),
        (&["daemon", "restart"], "ccd restarted"),
        (&["daemon", "logs", "-n", "1"], "serving"),
    ] {
        let said = host.ok(words);
        assert!(said.contains(told), "{said}");
    }
    eventually("nothing is left of the connections", || {
        host.dials().is_empty().then_some(())
    });

    let folder = host.installation.home().join("it's $HOME; a `b`");
    fs::create_dir_all(&folder).unwrap();
    let url = format!("{}{}/s.sock", host.url(), folder.display());
    host.ok(&["daemon", "stop"]);
    let told = host.ok(&["-H", &url, "daemon", "ping"]);
    assert!(told.contains("replied"), "{told}");
    assert!(folder.join("s.sock").exists());
    host.ok(&["-H", &url, "daemon", "stop"]);
}

#[test]
fn a_command_makes_one_connection_and_dial_passes_on_every_byte() {
    let Some(host) = OtherHost::start() else {
        return;
    };
    host.ok(&["daemon", "start"]);
    for words in [
        &["session", "list"][..],
        &["tape", "list"],
        &["parallel", "true", "true"],
        &["session", "create", "--name", "a", "--", "cat"],
        &["session", "close", "a"],
    ] {
        let before = host.connections();
        host.ok(words);
        assert_eq!(host.connections() - before, 1, "{words:?}");
    }
    let mut dial = host.ssh(&["ccctl", "dial"]);
    dial.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut dial = dial.spawn().unwrap();
    let mut input = dial.stdin.take().unwrap();
    let mut output = BufReader::new(dial.stdout.take().unwrap());
    // First comes what programs inherit from this login.
    let mut next_line = || {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        line
    };
    let greeting = next_line();
    assert!(greeting.contains("dial.inherited"), "{greeting}");
    for id in 1..3 {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "daemon.ping"});
        writeln!(input, "{request}").unwrap();
        let reply: Value = serde_json::from_str(&next_line()).unwrap();
        assert_eq!(reply["id"], id);
    }
    // A subscription keeps a connection open, but not beyond its input.
    let request = json!({"jsonrpc": "2.0", "id": 3, "method": "daemon.status"});
    writeln!(input, "{request}").unwrap();
    drop(input);
    let rest = next_line();
    assert!(rest.contains("holder_pid"), "{rest}");
    assert!(dial.wait().unwrap().success());
}

#[test]
fn why_another_host_is_not_reached_is_told_apart() {
    let Some(host) = OtherHost::start() else {
        return;
    };
    let said = |ran: &Ran| {
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
        ran.stderr.clone()
    };
    let list_with = |name: &str, value: &std::path::Path| {
        let mut ls = host.ccctl(&["ls"]);
        said(&Ran::of(ls.env(name, value).output().unwrap()))
    };
    let empty = tempfile::tempdir().unwrap();
    assert!(list_with("PATH", empty.path()).contains("there is no ssh here"));
    let nobody = list_with("CCD_HOST", "ssh://127.0.0.1:1".as_ref());
    for part in ["ssh could not connect", "refused"] {
        assert!(nobody.contains(part), "{nobody}");
    }
    for url in ["build", "ssh://-oProxyCommand=x", "ssh://h:0"] {
        let ran = host.run(&["-H", url, "ls"]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        let told = "give ssh://[user@]host[:port][/socket]";
        assert!(ran.stderr.contains(told), "{ran:?}");
    }

    let bare = OtherHost::with_path(Installation::new(), "/usr/bin:/bin").unwrap();
    assert!(said(&bare.run(&["ls"])).contains("ccctl is not installed there"));
    // The directory that the documents name is found, whatever PATH commands of ssh have.
    let local = bare.installation.home().parent().unwrap().join(".local");
    fs::create_dir(&local).unwrap();
    std::os::unix::fs::symlink(bare.installation.bin(), local.join("bin")).unwrap();
    bare.ok(&["daemon", "ping"]);

    fs::remove_file(host.installation.bin().join("ccctl")).unwrap();
    let refuse = "#!/bin/sh\necho \"ccctl: unrecognized subcommand 'dial'; ccctl --help shows more\" >&2\nexit 2\n";
    write_script(&host.installation.bin().join("ccctl"), refuse);
    let old = Installation::new();
    let mut ls = old.ccctl(&["ls"]);
    ls.env("CCD_HOST", host.url()).env("PATH", host.bin());
    let old = said(&Ran::of(ls.output().unwrap()));
    assert!(old.contains("another version of ccd"), "{old}");
}

#[test]
fn nothing_is_left_of_a_client_that_is_killed() {
    let Some(host) = OtherHost::start() else {
        return;
    };
    host.ok(&["session", "create", "--name", "quiet", "--", "cat"]);
    for words in [
        &["session", "tail", "quiet", "-f"][..],
        &["session", "wait", "quiet", "--exit"],
        &["run", "--", "sleep", "4711"],
    ] {
        let mut client = host.ccctl(words).spawn().unwrap();
        let is_connected = || !host.dials().is_empty();
        eventually("it is connected", || is_connected().then_some(()));
        client.kill().unwrap();
        client.wait().unwrap();
        eventually("its connection ends", || (!is_connected()).then_some(()));
        let url = host.url();
        let port = url.rsplit_once(':').unwrap().1;
        let ssh = format!("-p {port} -- 127.0.0.1");
        eventually("its ssh ends", || {
            let left = processes::with_command_line(&ssh);
            left.is_empty().then_some(())
        });
    }
    eventually("the program of run ends with it", || {
        let sessions = host.ok(&["session", "list"]);
        (!sessions.contains("4711")).then_some(())
    });
}

#[test]
fn an_attached_terminal_is_restored_when_the_connection_to_another_host_breaks() {
    let Some(mut host) = OtherHost::start() else {
        return;
    };
    let script = "PS1='there> ' exec sh";
    let create = ["session", "create", "--name", "there", "--"];
    host.ok(&[&create[..], &["sh", "-c", script]].concat());
    let daemon = Daemon::start();
    let mut params = program(&daemon, "bash", &["--norc", "--noprofile"]);
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", host.bin().display());
    for (name, value) in [
        ("CCD_HOME", host.home().display().to_string()),
        ("CCD_HOST", host.url()),
        ("PATH", path),
        ("PS1", "person> ".to_owned()),
    ] {
        params.env.insert(name.to_owned(), value);
    }
    let person = daemon.open_with(&params);
    person.expect("person> ");
    let attach = format!("{CCCTL} attach there");
    person.line(&attach);
    person.expect("there> ");
    person.line("echo $((6 * 7))");
    person.expect("42");
    person.keys(DETACH);
    person.expect("detached from there");
    person.expect("person> ");

    person.line(&attach);
    person.expect("there> ");
    host.break_down();
    person.expect("the connection broke");
    person.expect("keeps running there");
    person.expect("person> ");
    person.line("stty -a");
    person.expect(" icanon ");
    person.expect(" echo ");
}
