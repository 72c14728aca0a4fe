//! `ccctl doctor` with real daemons, and with what may be wrong on a machine.

use crate::support::client::{Installation, Ran};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// The exit status, and the reply.
fn doctor(installation: &Installation) -> (Option<i32>, Value) {
    let ran = installation.run(&["doctor", "--json"]);
    let reply = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    (ran.code, reply)
}

/// The states of the checks with this name, each with its text.
fn of<'a>(reply: &'a Value, name: &str) -> Vec<(&'a str, &'a str)> {
    let checks = reply["checks"].as_array().unwrap().iter();
    let of_name = checks.filter(|check| check["name"] == name);
    let text = |check: &'a Value, field: &str| check[field].as_str().unwrap();
    of_name
        .map(|check| (text(check, "state"), text(check, "text")))
        .collect()
}

/// Asserts that exactly one check with this name is wrong, and nothing else is.
fn assert_wrong(installation: &Installation, name: &str, words: &str) {
    let (code, reply) = doctor(installation);
    assert_eq!((code, &reply["ok"]), (Some(1), &Value::Bool(false)));
    let checks = reply["checks"].as_array().unwrap().iter();
    let wrong: Vec<_> = checks.filter(|check| check["state"] == "wrong").collect();
    assert_eq!(wrong.len(), 1, "{wrong:#?}");
    assert_eq!(wrong[0]["name"], name, "{wrong:#?}");
    let text = wrong[0]["text"].as_str().unwrap();
    assert!(text.contains(words), "{text}");
}

fn assert_warning(reply: &Value, name: &str, words: &str) {
    let found = of(reply, name);
    let is_told = found[0].0 == "warning" && found[0].1.contains(words);
    assert!(is_told, "{found:?}");
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_sound_installation_is_ok_with_and_without_a_daemon() {
    let installation = Installation::new();
    let sound = || {
        let (code, reply) = doctor(&installation);
        assert_eq!((code, &reply["ok"]), (Some(0), &json!(true)), "{reply:#}");
        reply
    };
    assert_eq!(of(&sound(), "daemon")[0].0, "ok");
    assert!(UnixStream::connect(installation.socket()).is_err());
    assert!(!installation.home().exists(), "doctor makes nothing");

    assert_eq!(installation.run(&["daemon", "start"]).code, Some(0));
    let reply = sound();
    for name in "daemon ccd config socket base runtime coach databases".split(' ') {
        let found = of(&reply, name);
        assert_eq!((found.len(), found[0].0), (1, "ok"), "{name}: {reply:#}");
    }
    let databases = of(&reply, "databases");
    assert!(databases[0].1.contains("ccd.sqlite"), "{databases:?}");
    assert_eq!(of(&reply, "running"), []);
}

#[test]
fn a_configuration_that_prevents_the_start_is_wrong() {
    let installation = Installation::new();
    fs::create_dir(installation.home()).unwrap();
    set_mode(&installation.home(), 0o700);
    let config = installation.home().join("config.json");
    fs::write(&config, "{ max_sessions: 'many' }").unwrap();
    assert_wrong(&installation, "config", ":1:17: max_sessions must be");
    fs::write(&config, "{ max_session: 1 }").unwrap();
    let (code, reply) = doctor(&installation);
    let states: Vec<_> = of(&reply, "config").iter().map(|found| found.0).collect();
    assert_eq!((code, &*states), (Some(0), &["warning", "ok"][..]));
}

#[test]
fn an_mcp_server_whose_program_is_gone_is_wrong() {
    let installation = Installation::new();
    let config = installation.bin().parent().unwrap().join(".claude.json");
    let write = |program: &str| {
        let server = json!({"type": "stdio", "command": program, "args": ["mcp"]});
        let text = json!({"mcpServers": {"terminals": server}}).to_string();
        fs::write(&config, text).unwrap();
    };
    write("/gone/ccctl");
    assert_wrong(&installation, "mcp", "/gone/ccctl");
    write(installation.bin().join("ccctl").to_str().unwrap());
    let (code, reply) = doctor(&installation);
    let text = "Claude Code knows it from its own configuration";
    assert_eq!((code, of(&reply, "mcp")), (Some(0), vec![("ok", text)]));
    let plugin = config.with_file_name(".claude").join("skills/ccd");
    installation.run(&["hooks", "plugin", plugin.to_str().unwrap()]);
    let (_, reply) = doctor(&installation);
    assert_warning(&reply, "mcp", "listed twice");
}

#[test]
fn a_damaged_database_is_wrong_until_it_is_set_aside() {
    let installation = Installation::new();
    installation.run(&["daemon", "start"]);
    installation.run(&["daemon", "stop", "--force"]);
    let database = installation.home().join("ccd.sqlite");
    fs::write(&database, "this is no database ".repeat(1000)).unwrap();
    assert_wrong(&installation, "databases", "ccd.sqlite: damaged");
    assert!(UnixStream::connect(installation.socket()).is_err());

    installation.run(&["daemon", "start"]);
    let (code, reply) = doctor(&installation);
    assert_eq!(code, Some(0), "{reply:#}");
    assert_warning(&reply, "databases", "ccd.sqlite.corrupt-");
    assert_warning(&reply, "log", "damaged");
}

#[test]
fn a_daemon_on_another_socket_with_a_mistake_in_its_configuration_or_without_a_reply_is_wrong() {
    let installation = Installation::new();
    installation.run(&["daemon", "start"]);
    let other = installation.home().join("other.sock");
    let ran = installation.run(&["--socket", other.to_str().unwrap(), "doctor"]);
    let socket = installation.socket().display().to_string();
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let mut lines = ran.stdout.lines();
    let line = lines.find(|line| line.contains("another socket"));
    let how = format!("ccctl --socket {socket} doctor lists what it reports");
    assert!(line.is_some_and(|line| line.ends_with(&how)), "{ran:?}");
    // The rest is checked all the same.
    assert!(ran.stdout.contains("\n✓ trial "), "{ran:?}");
    let config = installation.home().join("config.json");
    fs::write(config, "{ max_sessions: 'x' }").unwrap();
    installation.run(&["daemon", "reload"]);
    assert_wrong(&installation, "daemon", "config.json:1:");
    let status = installation.run(&["daemon", "status", "--json"]).stdout;
    let status: Value = serde_json::from_str(&status).unwrap();
    let worker = i32::try_from(status["pid"].as_i64().unwrap()).unwrap();
    let worker = Pid::from_raw(worker).unwrap();
    kill_process(worker, Signal::STOP).unwrap();
    let (code, reply) = doctor(&installation);
    kill_process(worker, Signal::CONT).unwrap();
    assert_eq!(code, Some(1), "{reply:#}");
    let daemon = of(&reply, "daemon");
    assert!(daemon[0].1.contains("does not reply"), "{daemon:?}");
}

#[test]
fn what_is_wrong_is_printed_first() {
    let installation = Installation::new();
    let target = installation.bin();
    set_mode(&target, 0o700);
    std::os::unix::fs::symlink(&target, installation.home()).unwrap();
    assert_wrong(&installation, "base", "a symbolic link");
    fs::remove_file(installation.home()).unwrap();
    fs::create_dir(installation.home()).unwrap();
    set_mode(&installation.home(), 0o755);
    let ran = installation.run(&["doctor"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().take(2).collect();
    assert!(lines[0].starts_with("1 wrong, "), "{ran:?}");
    assert!(lines[1].starts_with("✗ base "), "{ran:?}");
    fs::remove_file(installation.bin().join("ccd")).unwrap();
    let mut command = installation.ccctl(&["doctor"]);
    let ran = Ran::of(command.env("PATH", "/nowhere").output().unwrap());
    assert!(ran.stdout.contains("✗ ccd "), "{ran:?}");
}
