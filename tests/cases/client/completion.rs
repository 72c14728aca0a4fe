//! Completion in the shells themselves.

use super::named;
use crate::support::session::{lacks, program};
use crate::support::{Ccctl, Daemon};
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

/// Returns what bash offers for the last word of a line, with a space between the offers.
fn in_bash(daemon: &Daemon, path: &str, line: &str) -> String {
    let words = std::iter::once("ccctl").chain(line.split(' '));
    let quoted: Vec<String> = words.map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source <(ccctl completions bash); COMP_WORDS=({}); COMP_CWORD={}; _ccctl; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        quoted.len() - 1,
    );
    lines(daemon, path, "bash", &script).join(" ")
}

#[test]
fn bash_offers_names_that_the_daemon_has_or_that_of_the_socket_in_the_line() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = Daemon::start();
    named(&daemon, "my-cat", &["cat", "-u"]);
    named(&daemon, "my-dog", &["cat", "-u"]);
    let nameless = daemon.open("cat", &[]);
    let ended = daemon.open("true", &[]);
    ended.ended();
    let path = path(&daemon);
    let offered = |line: &str| in_bash(&daemon, &path, line);
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["chain", "save", "my-chain", "true"]);
    ccctl.ok(&["program", "save", "my-program", "--session", "my-cat"]);
    let other = Daemon::start();
    named(&other, "elsewhere", &["cat", "-u"]);
    let elsewhere = format!("--socket {} session send ", other.socket().display());
    for (line, names) in [
        ("session send my-", "my-cat my-dog"),
        ("attach my-d", "my-dog"),
        ("attach \"my-d", "my-dog"),
        ("config get max_sess", "max_session_runtime max_sessions"),
        ("session send my-cat --keys C-c,En", "C-c,Enter C-c,End"),
        ("session signal my-cat KI", "KILL"),
        ("session create --cwd /us", "/usr"),
        ("top --sort = w", "waits"),
        ("help session att", "attach"),
        ("chain run ", "my-chain"),
        ("session create --config m", "my-program"),
        (&elsewhere, "elsewhere"),
    ] {
        assert_eq!(offered(line), names, "{line}");
    }
    named(&daemon, "-dash", &["cat", "-u"]);
    let dash = daemon.id_of("-dash").unwrap();
    let job = ccctl.ok(&["chain", "run", "my-chain", "--detach"]);
    for (line, name, is_offered) in [
        ("session close ", nameless.id(), true),
        ("session close ", ended.id(), false),
        ("session read ", ended.id(), true),
        ("attach ", &dash, true),
        ("attach ", "-dash", false),
        ("run -- bas", "bash", true),
        ("job get ", job.trim(), true),
    ] {
        let all = offered(line);
        let is_there = all.split(' ').any(|one| one == name);
        assert_eq!(is_there, is_offered, "{line}{name}: {all}");
    }
}

#[test]
fn fish_offers_them_with_what_they_are() {
    if lacks(&["fish"]) {
        return;
    }
    let daemon = Daemon::start();
    named(&daemon, "my-cat", &["cat", "-u"]);
    let path = path(&daemon);
    let offered = |line: &str| {
        let script = format!("ccctl completions fish | source; complete -C '{line}'");
        lines(&daemon, &path, "fish", &script)
    };
    for (line, offer) in [
        ("ccctl session send ", "my-cat\tcat -u"),
        ("ccctl session sho", "show\tShow the details of a session"),
        ("ccctl session send my-cat --keys Up,PageD", "Up,PageDown"),
        ("ccctl top --sort=w", "--sort=waits"),
        ("ccctl session create --cwd=/us", "--cwd=/usr/\tDirectory"),
        ("ccctl session list --al", "--all\tInclude ended sessions"),
    ] {
        assert_eq!(offered(line), [offer], "{line}");
    }
}

#[test]
fn zsh_completes_at_its_prompt() {
    if lacks(&["zsh"]) {
        return;
    }
    let daemon = Daemon::start();
    named(&daemon, "my-cat", &["cat", "-u"]);
    let mut params = program(&daemon, "zsh", &["-f"]);
    params.env.insert("PATH".to_owned(), path(&daemon));
    let home = daemon.home().display().to_string();
    params.env.insert("CCD_HOME".to_owned(), home);
    params.cols = Some(200);
    let zsh = daemon.open_with(&params);
    zsh.expect("ready> ");
    zsh.ask(
        "source <(ccctl completions zsh); echo is-$((6*7))",
        "(?m)^is-42",
    );
    zsh.expect("ready> ");
    for (line, completed) in [
        ("ccctl session send my", "my-cat "),
        ("ccctl session cl", "End sessions"),
        ("ccctl top --sort=wa", "waits "),
        ("ccctl session create --cwd=/us", "--cwd=/usr/"),
    ] {
        zsh.text(line);
        zsh.keys(&["Tab"]);
        zsh.expect(completed);
        zsh.keys(&["C-u"]);
    }
}

#[test]
fn no_daemon_is_started_or_told_of() {
    let daemon = Daemon::builder().prepare();
    let ccctl = Ccctl::new(&daemon);
    for line in [
        "3 ccctl session send ",
        "3 ccctl job get x",
        "9 ccctl nothing",
        "3 ccctl --socket /no/such/socket session",
        "1 ccctl -\u{1b}",
    ] {
        let words: Vec<&str> = std::iter::once("complete").chain(line.split(' ')).collect();
        let mut command = ccctl.command(&words);
        let output = command.env_remove("CCD_NO_START").output().unwrap();
        assert!(output.status.success(), "{line}");
        assert!(output.stderr.is_empty(), "{line}: {output:?}");
    }
    assert!(!daemon.socket().exists());
}
