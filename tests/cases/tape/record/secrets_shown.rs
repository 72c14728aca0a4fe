//! Secrets that reach a tape in other ways than in a line that shows what they are.

use crate::support::conversation::{
    ended, keys, line, only_tape, output, root, send, start_with, tape, tapes,
};
use crate::support::pipeline::Pipeline;
use crate::support::secrets::{
    all, all_secrets, assert_nowhere, await_text, begin, cases, environment, forms_of, recording,
    talkative, tape_at_the_end, type_at_cat,
};
use crate::support::session::lacks;
use crate::support::{Daemon, assert_fields, assert_has, assert_lacks, eventually};
use serde_json::json;

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
fn a_netrc_between_pipes_loses_its_password_and_plays() {
    let pipeline = Pipeline::new();
    let input = "machine h\n  login u\n  password netrcPassQQ77\n";
    let recorded = pipeline.ran(&["rec"], &["wc", "-l"], input);
    assert_eq!(recorded.stdout, "3\n", "{recorded:?}");
    assert_on_no_tape(&pipeline.daemon, &["netrcPassQQ77"]);
    let play = ["play", "--strict", "--latency", "0"];
    let played = pipeline.ran(&play, &["wc", "-l"], input);
    assert_eq!(played.stdout, "3\n", "{played:?}");
}

#[test]
fn what_a_decorator_makes_of_a_recording_loses_its_secrets() {
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
        let text = only_tape(&root(&daemon));
        assert_lacks(&text, [secret]);
        assert_has(&all(&recorded, "output"), ["***"]);
    }
}

#[test]
fn a_secret_that_a_name_has_given_away_is_known_where_it_is_shown() {
    let daemon = talkative();
    let secrets = ["Qx7hunterzz99w", "Arg7hunterzz99w", "Env7hunterzz99w"];
    let script = "echo \"<$1 $2 $API_KEY>\"; while read -r l; do eval \"$l\"; done";
    let command = ["bash", "-c", script, "sh", "--password", secrets[1], "test"];
    let mut env = environment();
    env["API_KEY"] = json!("Env7hunterzz99w");
    let options = json!({"record": "new", "match": {"allow_env": ["API_KEY"]}});
    let session = start_with(&daemon, &command, &tape(&root(&daemon), options), &env).unwrap();
    await_text(&daemon, &session, "<.*>");
    let names = "DB_PASSWORD=Qx7hunterzz99w; OTHER_PASSWORD=test";
    line(&daemon, &session, names);
    line(&daemon, &session, "echo \"<$DB_PASSWORD $OTHER_PASSWORD>\"");
    await_text(&daemon, &session, "<Qx.*>");
    line(&daemon, &session, "echo Qx7hunterzz99w");
    await_text(&daemon, &session, "\nQx7hunterzz99w");
    send(&daemon, &session, "\u{4}");
    let recorded = tape_at_the_end(&daemon, &session);
    assert_on_no_tape(&daemon, &secrets);
    // A plain word is kept if no name next to it marks it as a secret.
    let shown = ["<--password *** ***>", "<*** test>"];
    assert_has(&all(&recorded, "output"), shown);
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
    let starts = ["curl -X POST", "machine h\r"];
    cases.retain(|case| starts.iter().any(|start| case.text.starts_with(start)));
    assert_eq!(cases.len(), 2);
    let secrets = all_secrets(&cases);
    let command = ["python3", "-c", ANSWERS_AT_ONCE];
    let session = begin(&daemon, &command, &recording(&daemon));
    await_text(&daemon, &session, "ready");
    let texts = cases.iter().map(|case| case.text.as_str());
    type_at_cat(&daemon, &session, texts);
    assert_nowhere(&daemon, &secrets);
    send(&daemon, &session, "\u{4}");
    tape_at_the_end(&daemon, &session);
    assert_nowhere(&daemon, &secrets);
}

/// Types these keys, each after the one before was answered.
fn type_keys(daemon: &Daemon, session: &str, text: &str) {
    let shown = || output(daemon, session).len();
    for key in text.chars() {
        let before = shown();
        send(daemon, session, &key.to_string());
        eventually("the key is answered", || (shown() > before).then_some(()));
    }
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
        keys(&daemon, &session, last);
        tape_at_the_end(&daemon, &session);
        let secret = typed.split('=').next_back().unwrap();
        assert_nowhere(&daemon, &[secret.to_owned()]);
        let strict = tape(&root(&daemon), json!({"strict": true, "latency": 0}));
        for typed in [typed, other] {
            let session = begin(&daemon, program, &strict);
            is_there(&session);
            keys(&daemon, &session, &format!("{typed}{last}"));
            let whole = json!({"exitstatus": 0, "tape": {"misses": 0}});
            assert_fields(&ended(&daemon, &session), whole);
        }
    }
}
