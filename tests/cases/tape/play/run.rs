//! `session.run` in shells that are recorded, and in shells that are replayed.

use crate::support::conversation::{
    ended, new_tape, nowhere, only_tape, output, record, root, start, start_with, tape, tapes,
};
use crate::support::session::lacks;
use crate::support::{Daemon, assert_fields, assert_has, assert_lacks};
use serde_json::{Value, json};

/// Runs a command, and returns the reply without its duration.
fn run(daemon: &Daemon, session: &str, command: &str) -> Value {
    let params = json!({"session": session, "command": command, "timeout_ms": 20_000});
    let mut reply = daemon.ok("session.run", &params);
    reply["duration_ms"].take();
    reply
}

/// Runs commands in a shell; the last one ends it.
fn run_all(daemon: &Daemon, session: &str, commands: &[&str]) -> (Vec<Value>, Value, Vec<u8>) {
    let replies = commands.iter().map(|command| run(daemon, session, command));
    let replies = replies.collect();
    let status = ended(daemon, session)["exitstatus"].clone();
    (replies, status, output(daemon, session))
}

/// Records commands, and replays them where the shell cannot be found.
fn round_trip(shell: &[&str], commands: &[&str]) -> Vec<Value> {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let session = start(&daemon, shell, &new_tape(&root)).unwrap();
    let recorded = run_all(&daemon, &session, commands);
    assert_eq!(tapes(&root).len(), 1);
    let strict = tape(&root, json!({"strict": true}));
    let session = start_with(&daemon, shell, &strict, &nowhere(&daemon)).unwrap();
    assert_eq!(run_all(&daemon, &session, commands), recorded, "{shell:?}");
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
fn commands_in_a_shell_give_the_same_output_and_status() {
    let shells = ["bash --norc", "sh -i", "dash -i", "zsh -f", "ksh", "mksh"];
    for shell in shells {
        let shell: Vec<&str> = shell.split(' ').collect();
        if lacks(&shell[..1]) {
            continue;
        }
        let replies = round_trip(&shell, &COMMANDS);
        assert_fields(&replies[0], json!({"output": "abc", "exit_code": 7}));
        let outputs: Vec<&Value> = replies[2..5].iter().map(|reply| &reply["output"]).collect();
        assert_eq!(outputs, ["2 it's !\n", "3 it's !\n", "4 it's !\n"]);
        assert_eq!(replies[6]["output_b64"], "/wA=");
        assert_fields(&replies[7], json!({"session_ended": true, "exit_code": 4}));
    }
    // The rest of a typed line that the shell gave up is discarded, so the daemon types another one.
    let commands = ["echo before; kill -INT $$; echo never", "echo $?; exit 3"];
    let replies = round_trip(&["bash", "--norc"], &commands);
    assert_eq!(replies[0]["exit_code"], 130, "{replies:?}");
}

#[test]
fn a_command_is_found_at_another_place_of_the_conversation() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let shell = ["bash", "--norc"];
    let session = start(&daemon, &shell, &new_tape(&root)).unwrap();
    for command in ["echo one", "echo two", "echo three"] {
        run(&daemon, &session, command);
    }
    run(&daemon, &session, "exit");
    ended(&daemon, &session);
    let session = start(&daemon, &shell, &tape(&root, json!({}))).unwrap();
    assert_eq!(run(&daemon, &session, "echo three")["output"], "three\n");
    let params = json!({"session": session, "command": "echo four", "timeout_ms": 20_000});
    let miss = daemon.refuses("session.run", &params, "tape_miss");
    assert_has(&miss, ["echo"]);
    assert_eq!(run(&daemon, &session, "echo two")["output"], "two\n");
}

/// Quoting and the wrapping of a line editor split secrets, so that no rule would find them.
#[test]
fn secrets_in_a_command_are_on_no_tape_and_it_plays_nevertheless() {
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let commands = [
        format!("export A='{secret}' B=\"{secret}\""),
        format!("cat <<E\n{secret}\nE"),
        format!("{}printf %s '{secret}' | wc -c", " ".repeat(45)),
        String::from("echo ${#A}; exit"),
    ];
    let daemon = Daemon::start();
    let root = root(&daemon);
    let shell = ["bash", "--norc"];
    let outputs = [json!({"record": "new"}), json!({"strict": true})].map(|options| {
        let session = start(&daemon, &shell, &tape(&root, options)).unwrap();
        let outputs = commands.each_ref().map(|command| {
            let reply = run(&daemon, &session, command);
            reply["output"].as_str().unwrap().replace(&secret, "***")
        });
        ended(&daemon, &session);
        outputs
    });
    assert_eq!(outputs[0], ["", "***\n", "40\n", "40\nexit\n"]);
    assert_eq!(outputs[0], outputs[1]);
    let text = only_tape(&root);
    assert_lacks(&text, ["aB3dE5gH7j", "bC1dE3fG5"]);
}

/// With tapes, a second terminal would run what is on no tape.
#[test]
fn a_command_is_not_isolated_with_tapes_and_the_reply_says_so() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let session = start(&daemon, &["bash", "--norc"], &new_tape(&root));
    let params = json!({"session": session.unwrap(), "command": "echo x", "isolate": true});
    let reply = daemon.ok("session.run", &params);
    assert_eq!(reply["output"], "x\n");
    assert_has(&reply["warnings"][0], ["isolate"]);
}

/// The real shell continues where the tape ends, and runs commands as it would by itself.
#[test]
fn the_real_shell_runs_what_no_tape_has() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let shell = ["bash", "--norc"];
    let session = start(&daemon, &shell, &new_tape(&root)).unwrap();
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
        let text = std::fs::read_to_string(path).unwrap();
        assert_lacks(&text, [&secret[4..]]);
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
        let root = root(&daemon);
        let start = |options: Value, path: Value| {
            let params = json!({
                "program": shell, "shell": true, "cwd": daemon.home(), "timeout_s": 20,
                "env": {"HOME": daemon.home(), "PATH": path}, "tape": tape(&root, options),
            });
            let record = daemon.ok("session.create", &params);
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
        assert_has(&String::from_utf8_lossy(&recorded.2), ["\u{1b}]133;A"]);
        let text = only_tape(&root);
        assert_has(&text, ["echo one; sh -c"]);
        assert_lacks(&text, ["hunter2"]);
        let session = start(json!({"strict": true}), json!("/nowhere"));
        let played = run_all(&daemon, &session, &commands);
        for (played, recorded) in played.0.iter().zip(&recorded.0).take(3) {
            assert_eq!(played["output"], recorded["output"], "{shell}");
            assert_eq!(played["exit_code"], recorded["exit_code"], "{shell}");
        }
        assert_eq!(record(&daemon, &session)["tape"]["misses"], 0, "{shell}");
    }
}
