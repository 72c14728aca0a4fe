//! Programs of many kinds, recorded, and replayed where they cannot be found.

use crate::support::Daemon;
use crate::support::conversation::{
    Came, ask, ended, output, record, start, start_with, tape, tapes,
};
use crate::support::session::lacks;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

fn call(daemon: &Daemon, method: &str, params: Value) -> Value {
    daemon.call_value(method, &params).unwrap()
}

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
        if let Some(pattern) = pattern.strip_prefix(RAW) {
            params["expect"] =
                json!({"patterns": [{"regex": pattern}], "raw": true, "timeout_ms": 20_000});
        } else if !pattern.is_empty() {
            params["expect"] = json!({"patterns": [{"regex": pattern}], "timeout_ms": 20_000});
        }
        let sent = daemon.call_value("session.send", &params);
        let sent = sent.unwrap_or_else(|error| {
            let came = output(daemon, session);
            panic!(
                "{input} {pattern}: {error}\n{}",
                String::from_utf8_lossy(&came)
            )
        });
        let found = &sent["expect"];
        let matched = found["matched"].as_str().unwrap_or_default().to_owned();
        matches.push((matched, found["start"].as_u64().unwrap_or_default()));
    }
    let ended = ended(daemon, session);
    Came {
        output: output(daemon, session),
        matches,
        exitstatus: ended["exitstatus"].as_i64(),
        signal: ended["signal"].as_i64(),
    }
}

/// Records the strokes, and replays them where the program cannot be found.
fn round_trip(command: &[&str], first: &str, strokes: &[TypedKeys<'_>]) -> Option<(Daemon, Came)> {
    if lacks(&[command[0]]) {
        return None;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let session = start(&daemon, command, &tape(&root, json!({"record": "new"}))).unwrap();
    let recorded = play(&daemon, &session, first, strokes);
    assert_eq!(tapes(&root).len(), 1, "{}", recorded.text());
    let nowhere = json!({"HOME": daemon.home(), "PS1": "ready> ", "PATH": "/nowhere"});
    let options = tape(&root, json!({"strict": true, "latency": 0}));
    let session = start_with(&daemon, command, &options, &nowhere).unwrap();
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
    if lacks(&["cat"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let mut came = Vec::new();
    for options in [json!({"record": "new"}), json!({"strict": true})] {
        let params = json!({
            "program": "cat", "encoding": "latin1", "tape": tape(&root, options), "cwd": daemon.home()
        });
        let session = call(&daemon, "session.create", params);
        let session = session["session_id"].as_str().unwrap().to_owned();
        let (matched, _) = ask(&daemon, &session, (Some("grüße"), "(grüße\\s+){2}")).unwrap();
        assert!(matched.contains("grüße"));
        call(
            &daemon,
            "session.send",
            json!({"session": session, "text": "\u{4}"}),
        );
        ended(&daemon, &session);
        came.push(output(&daemon, &session));
    }
    assert_eq!(came[0], came[1]);
    assert_eq!(came[0], b"gr\xfc\xdfe\r\ngr\xfc\xdfe\r\n");
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
    let root = daemon.home().join("t");
    let command = ["sh", "-c", "sleep 0.3; cat"];
    let session = start(&daemon, &command, &tape(&root, json!({"record": "new"}))).unwrap();
    for line in ["a\r", "b\r", "c\r"] {
        call(
            &daemon,
            "session.send",
            json!({"session": session, "text": line}),
        );
    }
    ask(&daemon, &session, (None, "(?s)c\n.*c\n")).unwrap();
    call(
        &daemon,
        "session.send",
        json!({"session": session, "text": "\u{4}"}),
    );
    ended(&daemon, &session);
    let recorded = output(&daemon, &session);
    for whole in [true, false] {
        let session = start(&daemon, &command, &tape(&root, json!({}))).unwrap();
        let sends = if whole {
            vec!["a\rb\rc\r"]
        } else {
            vec!["a", "\rb", "\r", "c\r"]
        };
        for send in sends {
            call(
                &daemon,
                "session.send",
                json!({"session": session, "text": send}),
            );
        }
        ask(&daemon, &session, (None, "(?s)c\n.*c\n")).unwrap();
        call(
            &daemon,
            "session.send",
            json!({"session": session, "text": "\u{4}"}),
        );
        ended(&daemon, &session);
        let played = output(&daemon, &session);
        assert_eq!(
            String::from_utf8_lossy(&played),
            String::from_utf8_lossy(&recorded)
        );
    }
}

#[test]
fn a_secret_that_is_shown_is_on_no_tape() {
    if lacks(&["cat"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let secret = json!({"text": "Hunter2-x9", "newline": true, "secret": true});
    let mut came = Vec::new();
    for options in [json!({"record": "new"}), json!({"strict": true})] {
        let session = start(&daemon, &["cat"], &tape(&root, options)).unwrap();
        let strokes = [(secret.clone(), "\n.*\n"), (text("\u{4}"), "")];
        came.push(play(&daemon, &session, "", &strokes).text());
    }
    let file = std::fs::read_to_string(&tapes(&root)[0]).unwrap();
    assert!(!file.contains("Hunter2-x9"), "{file}");
    assert_eq!(came[1], came[0].replace("Hunter2-x9", "***"));
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
    let root = daemon.home().join("t");
    let file = std::fs::read_to_string(&tapes(&root)[0]).unwrap();
    assert!(!file.contains("493817"), "{file}");
    let session = start(&daemon, &command, &tape(&root, json!({}))).unwrap();
    ask(&daemon, &session, (None, "PIN: $")).unwrap();
    for key in ["1", "2", "3", "4", "5", "6"] {
        call(
            &daemon,
            "session.send",
            json!({"session": session, "text": key}),
        );
    }
    ask(&daemon, &session, (None, "ok> $")).unwrap();
    call(
        &daemon,
        "session.send",
        json!({"session": session, "text": "q"}),
    );
    assert_eq!(ended(&daemon, &session)["exitstatus"], 2);
}

#[test]
fn htop_is_driven_by_keys_on_a_tape() {
    let strokes = [
        // Each pattern appears only after this key; output of earlier keys may still arrive.
        (keys(&["F5"]), "List"),
        (text("\\"), "Filter"),
        (text("zz"), "raw z"),
        // Not Escape: htop would take the next key as part of the same sequence.
        (keys(&["Enter"]), "Help"),
        (text("q"), ""),
    ];
    round_trip(&["htop", "-d", "100"], "Load", &strokes);
}
