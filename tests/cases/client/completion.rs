//! Completion in the shells themselves.

use crate::support::session::{lacks, program};
use crate::support::{Ccctl, Daemon};
use ccd_protocol::session::SessionCreateParams;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Creates a directory in which the client is called `ccctl`.
fn folder(daemon: &Daemon) -> PathBuf {
    let folder = daemon.home().join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let client = Path::new(env!("CARGO_BIN_EXE_ccctl_under_test"));
    std::os::unix::fs::symlink(client, folder.join("ccctl")).unwrap();
    folder
}

fn path(daemon: &Daemon) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{path}", folder(daemon).display())
}

/// Runs a script in a shell and returns the lines that it prints.
fn lines(daemon: &Daemon, path: &str, shell: &str, script: &str) -> Vec<String> {
    let output = Command::new(shell)
        .args(["-c", script])
        .env("PATH", path)
        .env("HOME", daemon.home())
        .env("CCD_HOME", daemon.home())
        .env_remove("CCD_SOCKET")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors, "", "{script}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Returns what bash offers for the last of these words.
fn in_bash(daemon: &Daemon, path: &str, words: &[&str]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source <(ccctl completions bash); COMP_WORDS=({}); COMP_CWORD={}; _ccctl; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        words.len() - 1,
    );
    let mut lines = lines(daemon, path, "bash", &script);
    lines.retain(|line| !line.is_empty());
    lines
}

fn named(daemon: &Daemon, name: &str) {
    daemon.open_with(&SessionCreateParams {
        name: Some(name.to_owned()),
        ..program(daemon, "cat", &["-u"])
    });
}

#[test]
fn bash_offers_names_that_the_daemon_has_or_that_of_the_socket_in_the_line() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = Daemon::start();
    named(&daemon, "my-cat");
    named(&daemon, "my-dog");
    let nameless = daemon.open("cat", &[]);
    let ended = daemon.open("true", &[]);
    ended.ended();
    let path = path(&daemon);
    let offered = |words: &[&str]| in_bash(&daemon, &path, words);
    assert_eq!(
        offered(&["ccctl", "session", "send", "my-"]),
        ["my-cat", "my-dog"]
    );
    assert_eq!(offered(&["ccctl", "attach", "my-d"]), ["my-dog"]);
    let live = offered(&["ccctl", "session", "close", ""]);
    assert!(live.contains(&nameless.id().to_owned()), "{live:?}");
    assert!(!live.contains(&ended.id().to_owned()), "{live:?}");
    let all = offered(&["ccctl", "session", "read", ""]);
    assert!(all.contains(&ended.id().to_owned()), "{all:?}");
    assert_eq!(
        offered(&["ccctl", "config", "get", "max_sess"]),
        ["max_session_runtime", "max_sessions"]
    );
    assert_eq!(
        offered(&["ccctl", "session", "send", "my-cat", "--keys", "C-c,En"]),
        ["C-c,Enter", "C-c,End"]
    );
    assert_eq!(
        offered(&["ccctl", "session", "signal", "my-cat", "KI"]),
        ["KILL"]
    );
    assert_eq!(
        offered(&["ccctl", "session", "create", "--cwd", "/us"]),
        ["/usr"]
    );
    assert_eq!(offered(&["ccctl", "attach", "\"my-d"]), ["my-dog"]);
    assert_eq!(offered(&["ccctl", "top", "--sort", "=", "w"]), ["waits"]);
    assert_eq!(offered(&["ccctl", "help", "session", "att"]), ["attach"]);
    named(&daemon, "-dash");
    let live = offered(&["ccctl", "attach", ""]);
    assert!(
        live.contains(&daemon.id_of("-dash").unwrap()) && !live.contains(&"-dash".to_owned()),
        "{live:?}"
    );
    assert!(offered(&["ccctl", "run", "--", "bas"]).contains(&"bash".to_owned()));
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["chain", "save", "my-chain", "true"]);
    assert_eq!(offered(&["ccctl", "chain", "run", ""]), ["my-chain"]);
    ccctl.ok(&["program", "save", "my-program", "--session", "my-cat"]);
    assert_eq!(
        offered(&["ccctl", "session", "create", "--config", "m"]),
        ["my-program"]
    );
    let job = ccctl.ok(&["chain", "run", "my-chain", "--detach"]);
    assert!(offered(&["ccctl", "job", "get", ""]).contains(&job.trim().to_owned()));
    let other = Daemon::start();
    named(&other, "elsewhere");
    let socket = other.socket().display().to_string();
    let words = ["ccctl", "--socket", &socket, "session", "send", ""];
    assert_eq!(offered(&words), ["elsewhere"]);
}

#[test]
fn fish_offers_them_with_what_they_are() {
    if lacks(&["fish"]) {
        return;
    }
    let daemon = Daemon::start();
    named(&daemon, "my-cat");
    let path = path(&daemon);
    let offered = |line: &str| {
        let script = format!("ccctl completions fish | source; complete -C '{line}'");
        lines(&daemon, &path, "fish", &script)
    };
    assert_eq!(offered("ccctl session send "), ["my-cat\tcat -u"]);
    assert_eq!(
        offered("ccctl session sho"),
        ["show\tShow the details of a session"]
    );
    assert_eq!(
        offered("ccctl session send my-cat --keys Up,PageD"),
        ["Up,PageDown"]
    );
    assert_eq!(offered("ccctl top --sort=w"), ["--sort=waits"]);
    assert_eq!(
        offered("ccctl session create --cwd=/us"),
        ["--cwd=/usr/\tDirectory"]
    );
    assert_eq!(
        offered("ccctl session list --al"),
        ["--all\tInclude ended sessions"]
    );
}

#[test]
fn zsh_completes_at_its_prompt() {
    if lacks(&["zsh"]) {
        return;
    }
    let daemon = Daemon::start();
    named(&daemon, "my-cat");
    let mut params = program(&daemon, "zsh", &["-f"]);
    params.env.insert("PATH".to_owned(), path(&daemon));
    params
        .env
        .insert("CCD_HOME".to_owned(), daemon.home().display().to_string());
    params.cols = Some(200);
    let zsh = daemon.open_with(&params);
    zsh.expect("ready> ");
    zsh.ask(
        "source <(ccctl completions zsh); echo is-$((6*7))",
        "(?m)^is-42",
    );
    zsh.expect("ready> ");
    zsh.text("ccctl session send my");
    zsh.keys(&["Tab"]);
    zsh.expect("my-cat ");
    zsh.keys(&["C-u"]);
    zsh.text("ccctl session cl");
    zsh.keys(&["Tab"]);
    zsh.expect("End a session: ask the program to exit");
    zsh.keys(&["C-u"]);
    zsh.text("ccctl top --sort=wa");
    zsh.keys(&["Tab"]);
    zsh.expect("waits ");
    zsh.keys(&["C-u"]);
    zsh.text("ccctl session create --cwd=/us");
    zsh.keys(&["Tab"]);
    zsh.expect("--cwd=/usr/");
    zsh.keys(&["C-u"]);
}

#[test]
fn no_daemon_is_started_or_told_of() {
    let daemon = Daemon::builder().prepare();
    let ccctl = Ccctl::new(&daemon);
    for words in [
        &["3", "ccctl", "session", "send", ""][..],
        &["3", "ccctl", "job", "get", "x"],
        &["9", "ccctl", "nothing"],
        &["3", "ccctl", "--socket", "/no/such/socket", "session"],
        &["1", "ccctl", "-\u{1b}"],
    ] {
        let mut command = ccctl.command(&[&["complete"], words].concat());
        let output = command.env_remove("CCD_NO_START").output().unwrap();
        assert!(output.status.success(), "{words:?}");
        assert!(output.stderr.is_empty(), "{words:?}: {output:?}");
    }
    assert!(!daemon.socket().exists());
}
