//! Secrets that reach a tape in other ways than in a line that shows what they are.

use crate::support::conversation::{ended, record, start_with, tape, tapes};
use crate::support::secrets::{
    all, all_secrets, assert_nowhere, await_text, begin, cases, environment, filled, forms_of,
    line, recording, root, send, talkative, tape_at_the_end, type_at_cat,
};
use crate::support::session::lacks;
use crate::support::{Ccctl, Daemon};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

/// Records a program over pipes with this input.
fn piped(daemon: &Daemon, program: &[&str], input: &[u8]) {
    let folder = root(daemon);
    let words = [
        "rec",
        "--no-summary",
        "--tapes",
        folder.to_str().unwrap(),
        "--",
    ];
    let mut command = Ccctl::new(daemon).command(&[&words, program].concat());
    let mut child = command
        .env_remove("CI")
        .current_dir(daemon.home())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    assert!(child.wait().unwrap().success());
}

/// Asserts that the daemon's tapes contain none of these texts in any form.
#[track_caller]
fn assert_on_no_tape(daemon: &Daemon, secrets: &[&str]) {
    let files = tapes(&root(daemon));
    assert!(!files.is_empty());
    for file in files {
        let bytes = std::fs::read(file).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let forms = secrets.iter().flat_map(|secret| forms_of(secret));
        let mut found = forms.filter(|form| bytes.windows(form.len()).any(|part| part == form));
        assert_eq!(found.next(), None, "{text}");
    }
}

#[test]
fn a_private_key_between_pipes_is_on_no_tape_whatever_stands_around_its_lines() {
    if lacks(&["cat"]) {
        return;
    }
    let body = [filled("{{64}}"), filled("{{64}}").chars().rev().collect()];
    let last = "Zz9aB+7=";
    let daemon = Daemon::start();
    for (before, behind) in [
        ("", "\r\n"),
        ("\u{1}", "\n"),
        ("", "\0\n"),
        ("\u{1b}[1m", "\u{1b}[0m\n"),
        ("> ", "\n"),
    ] {
        let begin = "-----BEGIN PRIVATE KEY-----";
        let end = "-----END PRIVATE KEY-----";
        let lines = [begin, &body[0], &body[1], last, end];
        let input: String = lines
            .iter()
            .map(|line| format!("{before}{line}{behind}"))
            .collect();
        piped(&daemon, &["cat"], input.as_bytes());
        assert_on_no_tape(&daemon, &[&body[0], &body[1], last]);
    }
}

#[test]
fn a_netrc_between_pipes_loses_its_password_and_plays() {
    if lacks(&["wc"]) {
        return;
    }
    let daemon = Daemon::start();
    let input = b"machine h\n  login u\n  password netrcPassQQ77\n";
    piped(&daemon, &["wc", "-l"], input);
    assert_on_no_tape(&daemon, &["netrcPassQQ77"]);
    let folder = root(&daemon);
    let words = [
        "play",
        "--strict",
        "--latency",
        "0",
        "--tapes",
        folder.to_str().unwrap(),
        "--",
        "wc",
        "-l",
    ];
    let mut command = Ccctl::new(&daemon).command(&words);
    let mut child = command
        .current_dir(daemon.home())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let played = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&played.stdout), "3\n");
}

#[test]
fn what_a_decorator_makes_of_a_recording_loses_its_secrets() {
    if lacks(&["base64", "sed"]) {
        return;
    }
    let secret = "ghp_aBcD1234efGH5678ijKL9012mnOP3456qrST";
    let encoded = "dG9rZW49Z2hwX2FCY0QxMjM0ZWZHSDU2NzhpaktMOTAxMm1uT1AzNDU2cXJTVA==";
    let filter = |on: &str, words: &[&str]| json!({"on": on, "filter": words});
    let replace = |on: &str| json!({"on": on, "replace": "a-z-t", "with": secret});
    for (program, decorator) in [
        (["printf", encoded], filter("output", &["base64", "-d"])),
        (["printf", "a-z-t"], replace("output")),
        (["printf", "a-z-t"], replace("tape")),
        (
            ["printf", "a-z-t"],
            filter("tape", &["sed", &format!("s/a-z-t/{secret}/")]),
        ),
    ] {
        let daemon = Daemon::start();
        let options = json!({"record": "new", "decorators": [decorator]});
        let session = begin(&daemon, &program, &tape(&root(&daemon), options));
        let recorded = tape_at_the_end(&daemon, &session);
        let text = std::fs::read_to_string(&tapes(&root(&daemon))[0]).unwrap();
        assert!(!text.contains(secret), "{decorator} {text}");
        assert!(all(&recorded, "output").contains("***"), "{recorded}");
    }
}

#[test]
fn a_secret_that_a_name_has_given_away_is_known_where_it_is_shown() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = talkative();
    let secrets = ["Qx7hunterzz99w", "Arg7hunterzz99w", "Env7hunterzz99w"].map(String::from);
    let script = "echo \"<$1 $2 $API_KEY>\"; while read -r l; do eval \"$l\"; done";
    let command = [
        "bash",
        "-c",
        script,
        "--password",
        "Arg7hunterzz99w",
        "test",
    ];
    let mut env = environment();
    env["API_KEY"] = json!("Env7hunterzz99w");
    let options = json!({"record": "new", "match": {"allow_env": ["API_KEY"]}});
    let command = [&command[..3], &["sh"], &command[3..]].concat();
    let session = start_with(&daemon, &command, &tape(&root(&daemon), options), &env).unwrap();
    await_text(&daemon, &session, "<.*>");
    line(
        &daemon,
        &session,
        "DB_PASSWORD=Qx7hunterzz99w; OTHER_PASSWORD=test",
    );
    line(&daemon, &session, "echo \"<$DB_PASSWORD $OTHER_PASSWORD>\"");
    await_text(&daemon, &session, "<Qx.*>");
    line(&daemon, &session, "echo Qx7hunterzz99w");
    await_text(&daemon, &session, "\nQx7hunterzz99w");
    send(&daemon, &session, "\u{4}");
    let recorded = tape_at_the_end(&daemon, &session);
    let secrets_of = secrets.each_ref().map(String::as_str);
    assert_on_no_tape(&daemon, &secrets_of);
    let output = all(&recorded, "output");
    assert!(output.contains("<--password *** ***>"), "{output}");
    // A plain word is kept if no name next to it marks it as a secret.
    assert!(output.contains("<*** test>"), "{output}");
}

#[test]
fn what_stands_beside_a_nul_or_a_sequence_is_on_no_tape() {
    let live = concat!("sk_li", "ve_aBcD1234efGH5678ijKL9012");
    let daemon = talkative();
    let script = format!(
        "printf 'x\\0{live}\\0y\\n'; printf 'key AKIAIOSFODNN7EXAMPLQ\\033[0mfoo\\n'; \
         printf 'A=1\\0DB_PASSWORD=hunter2-4711\\0B=2\\0'"
    );
    std::fs::write(daemon.home().join("show.sh"), script).unwrap();
    let session = begin(&daemon, &["sh", "show.sh"], &recording(&daemon));
    let recorded = tape_at_the_end(&daemon, &session);
    let secrets = [live, "AKIAIOSFODNN7EXAMPLQ", "hunter2-4711"];
    assert_on_no_tape(&daemon, &secrets);
    let output = all(&recorded, "output");
    for kept in ["foo", "A=1", "B=2"] {
        assert!(output.contains(kept), "{kept} {output}");
    }
}

/// A program that answers each line before the terminal shows the next one.
const ANSWERS_AT_ONCE: &str = "import os, tty\n\
    tty.setraw(0)\n\
    os.write(1, b'ready')\n\
    line = b''\n\
    while (key := os.read(0, 1)) != b'\\4':\n\
    \x20   os.write(1, b'\\r\\n' + line + b'\\r\\n' if key in b'\\r\\n' else key)\n\
    \x20   line = b'' if key in b'\\r\\n' else line + key\n";

#[test]
fn a_secret_of_several_lines_is_nowhere_if_each_is_answered_before_the_next_is_shown() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = talkative();
    let mut cases = cases();
    let is_tried = |text: &str| {
        ["curl -X POST", "machine h\r"]
            .iter()
            .any(|start| text.starts_with(start))
    };
    cases.retain(|case| is_tried(&case.text));
    assert_eq!(cases.len(), 2);
    let secrets = all_secrets(&cases);
    let command = ["python3", "-c", ANSWERS_AT_ONCE];
    let session = begin(&daemon, &command, &recording(&daemon));
    await_text(&daemon, &session, "ready");
    type_at_cat(
        &daemon,
        &session,
        cases.iter().map(|case| case.text.as_str()),
    );
    assert_nowhere(&daemon, &secrets);
    send(&daemon, &session, "\u{4}");
    tape_at_the_end(&daemon, &session);
    assert_nowhere(&daemon, &secrets);
}

/// Types these keys, each after the one before was answered.
fn type_keys(daemon: &Daemon, session: &str, text: &str) {
    for key in text.chars() {
        let before = shown_bytes(daemon, session);
        send(daemon, session, &key.to_string());
        crate::support::eventually("the key is answered", || {
            (shown_bytes(daemon, session) > before).then_some(())
        });
    }
}

fn shown_bytes(daemon: &Daemon, session: &str) -> usize {
    crate::support::conversation::output(daemon, session).len()
}

#[test]
fn a_secret_that_is_typed_key_by_key_in_an_editor_plays_to_the_end() {
    if lacks(&["vim", "less"]) {
        return;
    }
    let vim = ["vim", "-u", "NONE", "-N", "-i", "NONE", "new.txt"];
    let less = ["less", "show.txt"];
    for (program, typed, other, last) in [
        (
            &vim[..],
            "ipassword=hunter22secret",
            "ipassword=another1secret",
            "\u{1b}:q!\r",
        ),
        (&less, "/token=abcd1234efgh", "/token=zyxw9876stuv", "\rq"),
    ] {
        let daemon = talkative();
        std::fs::write(daemon.home().join("show.txt"), "line\n".repeat(100)).unwrap();
        let session = begin(&daemon, program, &recording(&daemon));
        let is_there = |session: &str| await_text(&daemon, session, "(?s)(new.txt.*New|line)");
        is_there(&session);
        type_keys(&daemon, &session, typed);
        last.chars()
            .for_each(|key| send(&daemon, &session, &key.to_string()));
        tape_at_the_end(&daemon, &session);
        let secret = typed.split('=').next_back().unwrap();
        assert_nowhere(&daemon, &[secret.to_owned()]);
        let strict = tape(&root(&daemon), json!({"strict": true, "latency": 0}));
        for typed in [typed, other] {
            let session = begin(&daemon, program, &strict);
            is_there(&session);
            for key in typed.chars().chain(last.chars()) {
                send(&daemon, &session, &key.to_string());
            }
            let ended: Value = ended(&daemon, &session);
            assert_eq!(ended["exitstatus"], 0, "{typed} {ended}");
            assert_eq!(record(&daemon, &session)["tape"]["misses"], 0, "{typed}");
        }
    }
}
