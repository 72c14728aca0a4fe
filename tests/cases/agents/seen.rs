//! What screens show: other programs, and answers that are typed.

use super::{agents, in_state};
use crate::support::client::DETACH;
use crate::support::executable::write_script;
use crate::support::{Ccctl, Daemon, assert_fields, assert_has, eventually};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

const CODER: &str = r#"#!/bin/sh
echo 'Working (esc to interrupt)'
read go
printf '\033[2J\033[HApply this change?\n> 1. Yes\n  2. No\nEnter to confirm'
read choice
printf '\033[2J\033[Hchose <%s>\n' "$choice"
read rest
"#;

#[test]
fn a_program_of_the_configuration_is_known_by_its_marks_and_answered_only_if_it_asks() {
    let program = json!({"name": "coder", "executables": ["my-coder"], "works": "esc to interrupt", "asks": "to confirm"});
    let daemon = Daemon::with_config(&json!({"agents": {"programs": [program]}}).to_string());
    let path = daemon.home().join("my-coder");
    write_script(&path, CODER);
    let client = Ccctl::new(&daemon);
    client.ok(&[
        "agents",
        "new",
        "--name",
        "lamp",
        "--",
        path.to_str().unwrap(),
    ]);
    let working = in_state(&daemon, "lamp", "working");
    assert_fields(&working, json!({"program": "coder", "known": "guess"}));
    let mut connection = daemon.connect();
    let answer = |answer: &str| json!({"agent": "lamp", "answer": answer});
    let early = connection.refused("agent.answer", &answer("1"), "agent_not_asking");
    assert_has(&early, ["lamp has no question now; it is working"]);
    client.ok(&["send", "lamp", "go"]);
    let asks = in_state(&daemon, "lamp", "asks");
    assert_eq!(asks["question"]["choices"], json!(["Yes", "No"]));
    let wrong = connection.refused("agent.answer", &answer("Maybe"), "invalid_argument");
    assert_has(&wrong, ["Yes | No"]);
    let other = json!({"agent": "lamp", "answer": "1", "question": "Delete everything?"});
    let other = connection.refused("agent.answer", &other, "agent_not_asking");
    assert_has(&other, ["Apply this change?"]);
    client.ok(&["agents", "answer", "lamp", "no"]);
    client.ok(&["expect", "lamp", "chose <2>"]);
    let idle = in_state(&daemon, "lamp", "idle");
    assert_eq!(idle["question"], json!(null));
}

#[test]
fn a_program_that_a_shell_runs_is_an_agent_as_long_as_it_is_in_the_foreground() {
    let daemon = Daemon::start();
    let (client, folder) = (Ccctl::new(&daemon), daemon.home().join("work"));
    std::fs::create_dir(&folder).unwrap();
    // As npm installs it: a link to a script.
    write_script(
        &folder.join("codex"),
        "#!/usr/bin/env python3\nprint('Working (esc to interrupt)')\ninput()\nprint('Apply?\\n> 1. Yes\\n  2. No\\nPress enter to confirm')\ninput()\n",
    );
    client.ok(&["new", "--name", "lamp", "--", "bash", "--norc"]);
    let cd = format!("cd {}", folder.display());
    client.ok(&["send", "lamp", &cd]);
    client.ok(&["send", "lamp", "./codex"]);
    let working = in_state(&daemon, "lamp", "working");
    assert_fields(
        &working,
        json!({"program": "codex", "known": "guess", "cwd": folder}),
    );
    client.ok(&["send", "lamp", ""]);
    in_state(&daemon, "lamp", "asks");
    // The shell has the terminal, and the question is still on the screen.
    let pid = Pid::from_raw(working["pid"].as_i64().unwrap() as i32).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    client.ok(&["expect", "lamp", "Stopped"]);
    let refused = client.run(&["agents", "answer", "lamp", "1"]);
    assert_eq!(refused.code, Some(5), "{}", refused.stderr);
    client.ok(&["send", "lamp", "fg"]);
    client.ok(&["agents", "answer", "lamp", "1"]);
    in_state(&daemon, "lamp", "gone");
    client.ok(&["send", "lamp", "clear; ./codex"]);
    in_state(&daemon, "lamp", "working");
    assert_eq!(agents(&mut daemon.connect()).len(), 1);
}

/// Takes single keys, is busy after each answer, and asks again.
const BUSY: &str = r#"#!/usr/bin/env python3
import os, sys, time, tty
tty.setraw(0)
for command in ["ls", "rm -rf /"]:
    chosen, key = 0, b""
    while key != b"\r":
        marks = [">" if chosen == at else " " for at in range(2)]
        print("\033[2J\033[H" + command + "\r\n\r\nDo you want to proceed?\r\n%s 1. Yes\r\n%s 2. No\r\n\r\nPress enter to confirm" % tuple(marks), end="", flush=True)
        key = os.read(0, 16)
        chosen += {b"\033[B": 1, b"\033[A": -1}.get(key, 0)
    time.sleep(1.5)
    with open("answers", "a") as file:
        file.write("%s=%d\n" % (command, chosen + 1))
time.sleep(60)
"#;

#[test]
fn an_answer_is_for_one_question_alone() {
    let daemon = Daemon::start();
    let (client, folder) = (Ccctl::new(&daemon), daemon.home().join("work"));
    std::fs::create_dir(&folder).unwrap();
    write_script(&folder.join("codex"), BUSY);
    let start = json!({"program": "./codex", "cwd": folder, "name": "lamp", "persist": true});
    daemon.ok("session.create", &start);
    in_state(&daemon, "lamp", "asks");
    client.ok(&["agents", "answer", "lamp", "No"]);
    client.ok(&["expect", "lamp", "rm -rf"]);
    // Nothing that was typed is left for the second question.
    client.ok(&["wait", "lamp", "--input"]);
    client.ok(&["wait", "lamp", "--idle", "1000"]);
    let answers = std::fs::read_to_string(folder.join("answers")).unwrap();
    assert_eq!(answers, "ls=2\n");
}

#[test]
fn top_shows_agents_answers_and_attaches() {
    let program = json!({"name": "coder", "works": "esc to interrupt", "asks": "to confirm"});
    let daemon = Daemon::with_config(&json!({"agents": {"programs": [program]}}).to_string());
    let path = daemon.home().join("coder");
    write_script(&path, CODER);
    let client = Ccctl::new(&daemon);
    client.ok(&[
        "agents",
        "new",
        "--name",
        "lamp",
        "--",
        path.to_str().unwrap(),
    ]);
    client.ok(&["send", "lamp", "go"]);
    in_state(&daemon, "lamp", "asks");
    let top = daemon.open_client(&["top", "--interval", "0.1"], (24, 100));
    top.shows("ccctl top  2 live sessions");
    top.text("t");
    top.shows("ccctl top  1 agents, 1 ask");
    top.shows("Apply this change?");
    top.shows("2. No");
    top.text("9");
    top.shows("is not one of the choices");
    top.text("2");
    top.shows("answered lamp");
    client.ok(&["expect", "lamp", "chose <2>"]);
    top.shows("chose <2>");
    top.text("a");
    eventually(
        "its screen is shown, and its terminal takes single keys",
        || {
            let rows = top.screen().lines.join("\n");
            (rows.contains("chose <2>") && !rows.contains("ccctl top")).then_some(())
        },
    );
    top.keys(DETACH);
    eventually("it is detached", || {
        let record = daemon.ok("session.get", &json!({"session": "lamp"}));
        (record["attached"] == json!([])).then_some(())
    });
    top.text("t");
    top.shows("a attach  r output");
    top.text("q");
}

#[test]
fn an_agent_gets_a_work_tree_of_its_own() {
    let daemon = Daemon::start();
    let shop = daemon.home().join("shop");
    std::fs::create_dir(&shop).unwrap();
    for words in [
        "init -q .",
        "-c user.name=n -c user.email=e commit -q --allow-empty -m first",
    ] {
        let git = std::process::Command::new("git")
            .args(words.split(' '))
            .current_dir(&shop)
            .status();
        assert!(git.unwrap().success());
    }
    let client = Ccctl::new(&daemon);
    let made = client.run_in(
        &shop,
        &[
            "agents",
            "new",
            "--worktree",
            "fix/lamp",
            "--name",
            "a",
            "--",
            "cat",
        ],
    );
    let tree = daemon.home().join("shop-fix-lamp");
    assert_has(&made.stderr, [tree.to_str().unwrap()]);
    let record = daemon.ok("session.get", &json!({"session": "a"}));
    assert_eq!(record["cwd"], tree.to_str().unwrap());
    // A start that fails leaves neither a work tree nor a branch.
    let failed = client.run_in(
        &shop,
        &[
            "agents",
            "new",
            "--worktree",
            "other",
            "--",
            "/no/such/program",
        ],
    );
    assert!(
        failed.code != Some(0) && !daemon.home().join("shop-other").exists(),
        "{failed:?}"
    );
    let taken = client.run_in(
        &shop,
        &["agents", "new", "--worktree", "fix/lamp", "--", "cat"],
    );
    assert_has(&taken.stderr, ["already exists"]);
}
