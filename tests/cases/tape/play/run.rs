//! `session.run` in shells that are recorded, and in shells that are replayed.

use crate::support::Daemon;
use crate::support::conversation::{ask, ended, output, record, start, start_with, tape, tapes};
use crate::support::session::lacks;
use serde_json::{Value, json};

/// Runs a command, and returns the reply without its duration.
fn run(daemon: &Daemon, session: &str, command: &str) -> Value {
    let params = json!({"session": session, "command": command, "timeout_ms": 20_000});
    let mut reply = daemon.call_value("session.run", &params).unwrap();
    reply["duration_ms"].take();
    reply
}

/// Runs commands in a shell; the last one ends it.
fn run_all(daemon: &Daemon, session: &str, commands: &[&str]) -> (Vec<Value>, Value, Vec<u8>) {
    let replies = commands
        .iter()
        .map(|command| run(daemon, session, command))
        .collect();
    let ended = ended(daemon, session);
    (
        replies,
        ended["exitstatus"].clone(),
        output(daemon, session),
    )
}

/// Records commands, and replays them where the shell cannot be found.
fn round_trip(shell: &[&str], commands: &[&str]) -> Vec<Value> {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let session = start(&daemon, shell, &tape(&root, json!({"record": "new"}))).unwrap();
    let recorded = run_all(&daemon, &session, commands);
    assert_eq!(tapes(&root).len(), 1);
    let nowhere = json!({"HOME": daemon.home(), "PS1": "ready> ", "PATH": "/nowhere"});
    let options = tape(&root, json!({"strict": true}));
    let session = start_with(&daemon, shell, &options, &nowhere).unwrap();
    let played = run_all(&daemon, &session, commands);
    assert_eq!(played, recorded);
    assert_eq!(record(&daemon, &session)["tape"]["misses"], 0);
    recorded.0
}

const COMMANDS: [&str; 8] = [
    "printf abc; (exit 7)",
    "x=1; printf 'one\\ntwo\\n'",
    "echo $((x += 1)) \"it's\" '!'",
    "echo $((x += 1)) \"it's\" '!'",
    "echo $((x += 1)) \"it's\" '!'",
    "if true\nthen echo yes\nfi",
    "printf '\\377\\000'",
    "exit 4",
];

#[test]
fn commands_in_bash_give_the_same_output_and_status() {
    if lacks(&["bash"]) {
        return;
    }
    let replies = round_trip(&["bash", "--norc"], &COMMANDS);
    assert_eq!(
        (&replies[0]["output"], &replies[0]["exit_code"]),
        (&json!("abc"), &json!(7))
    );
    let outputs: Vec<&Value> = replies[2..5].iter().map(|reply| &reply["output"]).collect();
    assert_eq!(outputs, ["2 it's !\n", "3 it's !\n", "4 it's !\n"]);
    assert_eq!(replies[6]["output_b64"], "/wA=");
    assert_eq!(
        (&replies[7]["session_ended"], &replies[7]["exit_code"]),
        (&json!(true), &json!(4))
    );
}

#[test]
fn commands_in_other_shells_give_the_same_too() {
    for shell in [
        &["sh", "-i"][..],
        &["dash", "-i"],
        &["zsh", "-f"],
        &["ksh"],
        &["mksh"],
    ] {
        if !lacks(&[shell[0]]) {
            round_trip(shell, &COMMANDS);
        }
    }
}

/// The rest of the typed line is then discarded, so the daemon types another one.
#[test]
fn a_command_that_the_shell_gave_up_is_told_as_it_was() {
    if lacks(&["bash"]) {
        return;
    }
    let commands = ["echo before; kill -INT $$; echo never", "echo $?; exit 3"];
    let replies = round_trip(&["bash", "--norc"], &commands);
    assert_eq!(replies[0]["exit_code"], 130, "{replies:?}");
}

#[test]
fn a_command_is_found_at_another_place_of_the_conversation() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let shell = ["bash", "--norc"];
    let session = start(&daemon, &shell, &tape(&root, json!({"record": "new"}))).unwrap();
    for command in ["echo one", "echo two", "echo three"] {
        run(&daemon, &session, command);
    }
    run(&daemon, &session, "exit");
    ended(&daemon, &session);
    let session = start(&daemon, &shell, &tape(&root, json!({}))).unwrap();
    assert_eq!(run(&daemon, &session, "echo three")["output"], "three\n");
    let params = json!({"session": session, "command": "echo four", "timeout_ms": 20_000});
    let miss = daemon.call_value("session.run", &params).unwrap_err();
    assert_eq!(miss["data"]["kind"], "tape_miss", "{miss}");
    assert!(miss.to_string().contains("echo"), "{miss}");
    assert_eq!(run(&daemon, &session, "echo two")["output"], "two\n");
}

/// Quoting and the wrapping of a line editor split secrets, so that no rule would find them.
#[test]
fn secrets_in_a_command_are_on_no_tape_and_it_plays_nevertheless() {
    if lacks(&["bash"]) {
        return;
    }
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let commands = [
        format!("export A='{secret}' B=\"{secret}\""),
        format!("cat <<E\n{secret}\nE"),
        format!("{}printf %s '{secret}' | wc -c", " ".repeat(45)),
        String::from("echo ${#A}; exit"),
    ];
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let shell = ["bash", "--norc"];
    let mut outputs = Vec::new();
    for options in [json!({"record": "new"}), json!({"strict": true})] {
        let session = start(&daemon, &shell, &tape(&root, options)).unwrap();
        let replies = commands
            .iter()
            .map(|command| run(&daemon, &session, command));
        outputs.push(
            replies
                .map(|reply| reply["output"].as_str().unwrap().replace(&secret, "***"))
                .collect::<Vec<_>>(),
        );
        ended(&daemon, &session);
    }
    assert_eq!(outputs[0], ["", "***\n", "40\n", "40\nexit\n"]);
    assert_eq!(outputs[0], outputs[1]);
    let text = std::fs::read_to_string(&tapes(&root)[0]).unwrap();
    assert!(
        !text.contains("aB3dE5gH7j") && !text.contains("bC1dE3fG5"),
        "{text}"
    );
}

#[test]
fn an_integrated_shell_plays_with_its_prompt_marks() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let mut came = Vec::new();
    for (options, path) in [
        (json!({"record": "new"}), std::env::var("PATH").unwrap()),
        (json!({}), String::from("/nowhere")),
    ] {
        let env =
            json!({"HOME": daemon.home(), "SHELL": "/bin/bash", "PS1": "ready> ", "PATH": path});
        let params =
            json!({"shell": true, "env": env, "tape": tape(&root, options), "cwd": daemon.home()});
        let session = daemon.call_value("session.create", &params).unwrap();
        let session = session["session_id"].as_str().unwrap().to_owned();
        ask(&daemon, &session, (None, "[$#>] $")).unwrap();
        ask(
            &daemon,
            &session,
            (Some("echo typed"), "typed\\s+.*[$#>] $"),
        )
        .unwrap();
        came.push(run_all(&daemon, &session, &["echo one; false", "exit 2"]));
    }
    assert_eq!(came[0], came[1]);
    assert!(String::from_utf8_lossy(&came[0].2).contains("\u{1b}]133;A"));
}

/// With tapes, a second terminal would run what is on no tape.
#[test]
fn a_command_is_not_isolated_with_tapes_and_the_reply_says_so() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let session = start(
        &daemon,
        &["bash", "--norc"],
        &tape(&root, json!({"record": "new"})),
    );
    let params = json!({"session": session.unwrap(), "command": "echo x", "isolate": true});
    let reply = daemon.call_value("session.run", &params).unwrap();
    assert_eq!(reply["output"], "x\n");
    assert!(
        reply["warnings"][0].as_str().unwrap().contains("isolate"),
        "{reply}"
    );
}

/// The real shell continues where the tape ends, and runs commands as it would by itself.
#[test]
fn the_real_shell_runs_what_no_tape_has() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let shell = ["bash", "--norc"];
    let session = start(&daemon, &shell, &tape(&root, json!({"record": "new"}))).unwrap();
    run(&daemon, &session, "x=20");
    run(&daemon, &session, "exit");
    ended(&daemon, &session);
    let proxy = tape(&root, json!({"fallback": "proxy"}));
    let session = start(&daemon, &shell, &proxy).unwrap();
    run(&daemon, &session, "x=20");
    for _ in 0..2 {
        let reply = run(&daemon, &session, "echo $((x += 1)); false");
        assert_eq!(reply["exit_code"], 1, "{reply}");
    }
    assert_eq!(run(&daemon, &session, "echo $x")["output"], "22\n");
    // With `new`, that part is recorded and can then be played; a secret in a command is left out.
    let secret = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5";
    let command = format!("y='{secret}'; echo ${{#y}} $((x += 1))");
    let mut outputs = Vec::new();
    for options in [
        json!({"record": "new", "fallback": "proxy"}),
        json!({"strict": true}),
    ] {
        let session = start(&daemon, &shell, &tape(&root, options)).unwrap();
        outputs.push(run_all(&daemon, &session, &["x=20", &command, "exit 3"]));
        assert_eq!(record(&daemon, &session)["exitstatus"], 3);
    }
    assert_eq!(outputs[0].0[1]["output"], "40 21\n");
    let outputs = outputs.iter().map(|(replies, ..)| {
        let output = |reply: &Value| (reply["output"].clone(), reply["exit_code"].clone());
        replies.iter().map(output).collect::<Vec<_>>()
    });
    let outputs: Vec<_> = outputs.collect();
    assert_eq!(outputs[0], outputs[1]);
    assert_eq!(tapes(&root).len(), 2);
    for path in tapes(&root) {
        assert!(
            !std::fs::read_to_string(path)
                .unwrap()
                .contains(&secret[4..])
        );
    }
}

#[test]
fn commands_that_a_line_editor_takes_are_replayed() {
    for shell in ["bash", "zsh", "fish"] {
        if lacks(&[shell]) {
            continue;
        }
        let daemon = Daemon::start();
        std::fs::write(daemon.home().join(".zshrc"), "").unwrap();
        let root = daemon.home().join("t");
        let start = |options: Value, path: Value| {
            let params = json!({
                "program": shell, "shell": true, "cwd": daemon.home(), "timeout_s": 20,
                "env": {"HOME": daemon.home(), "PATH": path}, "tape": tape(&root, options),
            });
            let record = daemon.call_value("session.create", &params).unwrap();
            record["session_id"].as_str().unwrap().to_owned()
        };
        let commands = [
            "echo one; sh -c 'exit 7'",
            "echo two\necho three",
            "echo )",
            "echo password=hunter2hunter2",
            "exit 4",
        ];
        let path = json!(std::env::var("PATH").unwrap());
        let session = start(json!({"record": "new"}), path);
        let recorded = run_all(&daemon, &session, &commands);
        assert_eq!(recorded.0[0]["output"], "one\n", "{shell}");
        let [file] = &tapes(&root)[..] else {
            panic!("{shell}: one tape")
        };
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains("echo one; sh -c"), "{shell}: {text}");
        assert!(!text.contains("hunter2"), "{shell}: {text}");
        let session = start(json!({"strict": true}), json!("/nowhere"));
        let played = run_all(&daemon, &session, &commands);
        for (played, recorded) in played.0.iter().zip(&recorded.0).take(3) {
            assert_eq!(played["output"], recorded["output"], "{shell}");
            assert_eq!(played["exit_code"], recorded["exit_code"], "{shell}");
        }
        assert_eq!(record(&daemon, &session)["tape"]["misses"], 0, "{shell}");
    }
}
