//! Programs of many kinds, recorded, and replayed where they cannot be found.

use crate::support::conversation::{
    self, Came, ask, ended, new_tape, nowhere, only_tape, output, record, root, send, start,
    start_with, tape, tapes,
};
use crate::support::session::lacks;
use crate::support::{Daemon, assert_has, assert_lacks};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// An input, and the pattern that is awaited after it.
type TypedKeys<'a> = (Value, &'a str);

/// Prefix of a pattern that is matched against control sequences too.
const RAW: &str = "raw ";

fn text(text: &str) -> Value {
    json!({ "text": text })
}

fn keys(names: &[&str]) -> Value {
    json!({ "keys": names })
}

/// Types each stroke once the pattern of the one before has matched; the first pattern needs no input.
fn play(daemon: &Daemon, session: &str, first: &str, strokes: &[TypedKeys<'_>]) -> Came {
    let mut matches = Vec::new();
    if !first.is_empty() {
        matches.push(ask(daemon, session, (None, first)).unwrap());
    }
    for (input, pattern) in strokes {
        let mut params = input.clone();
        params["session"] = json!(session);
        if !pattern.is_empty() {
            let (raw, pattern) = (pattern.starts_with(RAW), pattern.trim_start_matches(RAW));
            let patterns = json!([{ "regex": pattern }]);
            params["expect"] = json!({"patterns": patterns, "raw": raw, "timeout_ms": 20_000});
        }
        let found = &daemon.ok("session.send", &params)["expect"];
        let matched = found["matched"].as_str().unwrap_or_default().to_owned();
        matches.push((matched, found["start"].as_u64().unwrap_or_default()));
    }
    Came::of(daemon, session, matches)
}

/// Records the strokes, and replays them where the program cannot be found.
fn round_trip(command: &[&str], first: &str, strokes: &[TypedKeys<'_>]) -> Option<(Daemon, Came)> {
    if lacks(&[command[0]]) {
        return None;
    }
    let daemon = Daemon::start();
    let root = root(&daemon);
    let session = start(&daemon, command, &new_tape(&root)).unwrap();
    let recorded = play(&daemon, &session, first, strokes);
    assert_eq!(tapes(&root).len(), 1, "{}", recorded.text());
    let options = tape(&root, json!({"strict": true, "latency": 0}));
    let session = start_with(&daemon, command, &options, &nowhere(&daemon)).unwrap();
    let played = play(&daemon, &session, first, strokes);
    assert_eq!(played.text(), recorded.text());
    assert_eq!(played, recorded);
    assert_eq!(record(&daemon, &session)["tape"]["misses"], 0);
    Some((daemon, recorded))
}

#[test]
fn vim_is_driven_by_keys_on_a_tape() {
    let strokes = [
        (keys(&["i"]), "INSERT"),
        (text("h"), "h"),
        (text("e"), "e"),
        (text("llo"), "llo"),
        (keys(&["Escape"]), "raw \\x1b\\["),
        (text("x"), "raw ."),
        (text(":"), "raw :"),
        (text("w"), "raw w"),
        (text("q"), "raw q"),
        (text("\r"), "written"),
    ];
    let command = ["vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "written"];
    let Some((daemon, came)) = round_trip(&command, "~", &strokes) else {
        return;
    };
    assert_eq!(came.exitstatus, Some(0));
    let file = std::fs::read_to_string(daemon.home().join("written")).unwrap();
    assert_eq!(file, "hell\n");
}

#[test]
fn less_is_driven_by_keys_on_a_tape() {
    let strokes = [
        (text(" "), "40"),
        (keys(&["PageUp"]), "\\d"),
        (keys(&["Down"]), "\\d"),
        (text("/77\r"), "77"),
        (text("G"), "END"),
        (text("q"), ""),
    ];
    round_trip(&["bash", "-c", "seq 100 | less"], "\n:|23", &strokes);
}

#[test]
fn bytes_of_all_kinds_come_as_they_were() {
    let all: Vec<u8> = (0..=255).collect();
    let script = "import os,sys,tty\ntty.setraw(0)\nos.write(1,bytes(range(256))*3+b'ready')\nwhile True:\n b=os.read(0,4096)\n os.write(1,b'<'+b+b'>')\n if b'Q' in b: os._exit(3)";
    let strokes = [
        (text("größe 漢字 🎉\r"), "🎉\r>"),
        (json!({"data_b64": STANDARD.encode(&all[128..])}), ">"),
        (json!({"text": "line\r\n"}), ">"),
        (json!({"text": "pasted\nlines", "paste": true}), "lines>"),
        (keys(&["Up", "F5", "C-x"]), ">"),
        (text("Q"), "Q>"),
    ];
    let Some((_, came)) = round_trip(&["python3", "-c", script], "ready", &strokes) else {
        return;
    };
    assert!(came.output.starts_with(&all));
    assert_eq!(came.exitstatus, Some(3));
}

#[test]
fn a_latin1_program_plays_in_its_encoding() {
    let daemon = Daemon::start();
    for options in [json!({"record": "new"}), json!({"strict": true})] {
        let tape = tape(&root(&daemon), options);
        let params = json!({"program": "cat", "encoding": "latin1", "tape": tape});
        let session = daemon.ok("session.create", &params);
        let session = session["session_id"].as_str().unwrap();
        let twice = (Some("grüße"), "(grüße\\s+){2}");
        assert_has(&ask(&daemon, session, twice).unwrap().0, ["grüße"]);
        send(&daemon, session, "\u{4}");
        ended(&daemon, session);
        assert_eq!(output(&daemon, session), b"gr\xfc\xdfe\r\ngr\xfc\xdfe\r\n");
    }
}

#[test]
fn long_lines_and_much_output_come_whole() {
    let long = "x".repeat(4000);
    let strokes = [
        (
            json!({"text": format!("echo {long}"), "newline": true}),
            "x{4000}\r?\n.*ready> $",
        ),
        (
            json!({"text": "seq 10000", "newline": true}),
            "10000\\s+.*ready> $",
        ),
        (json!({"text": "exit 5", "newline": true}), ""),
    ];
    let Some((_, came)) = round_trip(&["bash", "--norc"], "ready> $", &strokes) else {
        return;
    };
    assert_eq!(came.exitstatus, Some(5));
}

#[test]
fn five_hundred_exchanges_play_as_they_were() {
    let script =
        "n=0; while read -r line; do n=$((n+1)); echo \"$n $line\"; [ $n = 500 ] && exit 9; done";
    let answers: Vec<String> = (1..=500)
        .map(|n| format!("\n{n} (odd|even)\r?\n"))
        .collect();
    let strokes: Vec<TypedKeys<'_>> = answers
        .iter()
        .enumerate()
        .map(|(index, answer)| {
            let input = if index % 2 == 0 { "odd" } else { "even" };
            (json!({"text": input, "newline": true}), answer.as_str())
        })
        .collect();
    let Some((_, came)) = round_trip(&["sh", "-c", script], "", &strokes) else {
        return;
    };
    assert_eq!(came.exitstatus, Some(9));
}

#[test]
fn a_program_that_prints_by_itself_plays_to_its_end() {
    let script = "for n in 1 2 3 4 5; do echo tick $n; sleep 0.05; done; kill -TERM $$";
    let Some((_, came)) = round_trip(&["sh", "-c", script], "tick 3", &[]) else {
        return;
    };
    assert_eq!((came.signal, came.exitstatus), (Some(15), None));
    assert_eq!(came.text().matches("tick").count(), 5);
}

/// Nothing waits for a prompt: the program reads whenever it wants.
#[test]
fn lines_that_were_typed_ahead_play_as_they_were() {
    let strokes = [
        (
            text("echo one\recho two\rsleep 0.1; echo three\r"),
            "three\\s+.*ready> $",
        ),
        (
            text("echo four\r\necho five\r\n"),
            "(?s)five\\s+.*ready> .*ready> $",
        ),
        (text("exit 6\r"), ""),
    ];
    let Some((_, came)) = round_trip(&["bash", "--norc"], "ready> $", &strokes) else {
        return;
    };
    assert_eq!(came.exitstatus, Some(6));
    // Typed one by one too: each send plays its part.
    let daemon = Daemon::start();
    let root = root(&daemon);
    let command = ["sh", "-c", "sleep 0.3; cat"];
    let typed = |options: &Value, sends: &[&str]| {
        let session = start(&daemon, &command, options).unwrap();
        for text in sends {
            send(&daemon, &session, text);
        }
        ask(&daemon, &session, (None, "(?s)c\n.*c\n")).unwrap();
        send(&daemon, &session, "\u{4}");
        ended(&daemon, &session);
        String::from_utf8(output(&daemon, &session)).unwrap()
    };
    let recorded = typed(&new_tape(&root), &["a\r", "b\r", "c\r"]);
    for sends in [&["a\rb\rc\r"][..], &["a", "\rb", "\r", "c\r"]] {
        assert_eq!(typed(&tape(&root, json!({})), sends), recorded);
    }
}

#[test]
fn a_secret_that_is_shown_is_on_no_tape() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let secret = json!({"text": "Hunter2-x9", "newline": true, "secret": true});
    let strokes = [(secret, "\n.*\n"), (text("\u{4}"), "")];
    let [recorded, played] = [json!({"record": "new"}), json!({"strict": true})].map(|options| {
        let session = start(&daemon, &["cat"], &tape(&root, options)).unwrap();
        play(&daemon, &session, "", &strokes).text()
    });
    assert_lacks(&only_tape(&root), ["Hunter2-x9"]);
    assert_eq!(played, recorded.replace("Hunter2-x9", "***"));
}

/// A program that reads keys decides itself where a secret ends.
#[test]
fn a_secret_of_keys_without_enter_plays_however_it_is_typed() {
    let script = "import os,tty,sys\ntty.setraw(0)\ndef ask(text,n):\n os.write(1,text)\n got=b''\n while len(got)<n: got+=os.read(0,1)\n return got\nask(b'PIN: ',6)\nos.write(1,b'\\r\\nok> ')\nkey=ask(b'',1)\nos.write(1,b'\\r\\ngot '+key)\nos._exit(2)";
    let command = ["python3", "-c", script];
    let strokes = [(text("493817"), "ok> $"), (text("q"), "")];
    let Some((daemon, came)) = round_trip(&command, "PIN: $", &strokes) else {
        return;
    };
    assert!(came.text().ends_with("got q"));
    let root = root(&daemon);
    assert_lacks(&only_tape(&root), ["493817"]);
    let session = start(&daemon, &command, &tape(&root, json!({}))).unwrap();
    ask(&daemon, &session, (None, "PIN: $")).unwrap();
    conversation::keys(&daemon, &session, "123456");
    ask(&daemon, &session, (None, "ok> $")).unwrap();
    send(&daemon, &session, "q");
    assert_eq!(ended(&daemon, &session)["exitstatus"], 2);
}
