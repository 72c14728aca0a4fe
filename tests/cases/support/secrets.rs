//! Texts with secrets, and what no file may contain of them.

use super::conversation::{ask, ended, line, new_tape, root, start_with};
use super::daemon::Daemon;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use memchr::memmem;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(crate) const FIXTURE: &str = include_str!("../../fixtures/redaction.json");

pub(crate) const TOKEN: &str = "ghp_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2";

/// A shorter secret is searched for together with the text before it.
pub(crate) const MIN_SECRET_CHARS: usize = 8;

/// A text with secrets, and its redacted form.
pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) redacted: String,
    /// Texts that no file may contain.
    pub(crate) secrets: Vec<String>,
}

pub(crate) fn fixture() -> Value {
    serde_json::from_str(FIXTURE).unwrap()
}

pub(crate) fn cases() -> Vec<Case> {
    let fixture = fixture();
    let cases = fixture["secrets"].as_array().unwrap().iter();
    cases
        .map(|case| {
            let text = filled(case["text"].as_str().unwrap());
            let redacted = case["redacted"].as_str().unwrap().to_owned();
            let secrets = secrets_of(&text, &redacted);
            assert!(!secrets.is_empty(), "{text}");
            Case {
                text,
                redacted,
                secrets,
            }
        })
        .collect()
}

/// Inserts as many letters or digits as the fixture specifies.
pub(crate) fn filled(text: &str) -> String {
    const MIXED: &str = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3";
    const HEX: &str = "3f786850e387550fdab836ed7e6dc881";
    let mut filled = String::new();
    for (index, part) in text.split("{{").enumerate() {
        let Some((gap, rest)) = part.split_once("}}").filter(|_| index > 0) else {
            filled.push_str(part);
            continue;
        };
        let (alphabet, len) = match gap.strip_prefix("hex ") {
            Some(len) => (HEX, len),
            None => (MIXED, gap),
        };
        filled.extend(alphabet.chars().cycle().take(len.parse().unwrap()));
        filled.push_str(rest);
    }
    filled
}

/// Returns the parts of `text` that are masked in `redacted`; each line separately.
pub(crate) fn secrets_of(text: &str, redacted: &str) -> Vec<String> {
    let mut secrets = Vec::new();
    let mut kept = redacted.split("***");
    let mut before = kept.next().unwrap();
    let mut rest = text.strip_prefix(before).unwrap();
    for literal in kept {
        let end = match literal {
            "" => rest.len(),
            literal => rest.find(literal).unwrap(),
        };
        for line in rest[..end].lines() {
            match line.chars().count() {
                0 => {}
                MIN_SECRET_CHARS.. => secrets.push(line.to_owned()),
                _ => {
                    let context = before.lines().last().unwrap_or_default();
                    secrets.push(format!("{context}{line}"));
                }
            }
        }
        (before, rest) = (literal, &rest[end + literal.len()..]);
    }
    secrets
}

/// Returns the forms in which a text can appear in a file.
pub(crate) fn forms_of(text: &str) -> Vec<Vec<u8>> {
    let quoted = serde_json::to_string(text).unwrap();
    let mut forms = vec![
        text.as_bytes().to_vec(),
        quoted.as_bytes()[1..quoted.len() - 1].to_vec(),
    ];
    for shift in 0..3 {
        let shifted = [&[0; 3][..shift], text.as_bytes()].concat();
        let whole = shifted.len() * 8 / 6;
        let base64 = STANDARD.encode(&shifted);
        forms.push(base64.as_bytes()[[0, 2, 3][shift]..whole].to_vec());
    }
    forms.retain(|form| form.len() >= 6);
    forms
}

/// Returns the files below a directory that contain one of the texts, except logs of what terminals showed, and rings,
/// which become such logs.
pub(crate) fn traces(folder: &Path, secrets: &[String]) -> Vec<(PathBuf, String, String)> {
    let forms: Vec<(&String, Vec<Vec<u8>>)> = secrets
        .iter()
        .map(|secret| (secret, forms_of(secret)))
        .collect();
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(path);
                continue;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_log = name.starts_with("output") && name.ends_with(".log");
            if !kind.is_file() || is_log || name.ends_with(".ring") {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap_or_default();
            let place = |form: &Vec<u8>| memmem::find(&bytes, form);
            for (secret, forms) in &forms {
                if let Some(at) = forms.iter().find_map(place) {
                    let near = &bytes[at.saturating_sub(40)..bytes.len().min(at + 60)];
                    let near = String::from_utf8_lossy(near).into_owned();
                    found.push((path.clone(), (*secret).clone(), near));
                }
            }
        }
    }
    found
}

#[track_caller]
pub(crate) fn assert_nowhere(daemon: &Daemon, secrets: &[String]) {
    let found = traces(daemon.home(), secrets);
    assert!(found.is_empty(), "{found:#?}");
}

/// Starts a daemon that logs everything.
pub(crate) fn talkative() -> Daemon {
    Daemon::builder()
        .config(r#"{"log_level": "trace", "replay": {"debug": true}}"#)
        .start()
}

pub(crate) fn recording(daemon: &Daemon) -> Value {
    new_tape(&root(daemon))
}

pub(crate) fn begin(daemon: &Daemon, command: &[&str], tape: &Value) -> String {
    start_with(daemon, command, tape, &environment()).unwrap()
}

pub(crate) fn environment() -> Value {
    json!({"HOME": "/nowhere", "PS1": "ready> ", "TERM": "xterm-256color", "HISTFILE": ""})
}

pub(crate) fn await_text(daemon: &Daemon, session: &str, pattern: &str) {
    ask(daemon, session, (None, pattern)).unwrap();
}

/// Waits for the end of a session, and returns its only tape.
pub(crate) fn tape_at_the_end(daemon: &Daemon, session: &str) -> Value {
    let ended = ended(daemon, session);
    assert_eq!(ended["tape"]["problem"], Value::Null, "{ended}");
    let ids = ended["tape"]["written"].as_array().unwrap();
    assert_eq!(ids.len(), 1, "{ended}");
    let params = json!({"root": root(daemon), "tape": ids[0]});
    daemon.call_value("tape.get", &params).unwrap()
}

pub(crate) fn exchanges(tape: &Value) -> impl Iterator<Item = &Value> {
    tape["exchanges"].as_array().unwrap().iter()
}

/// Returns a part of all exchanges of a tape, joined.
pub(crate) fn all(tape: &Value, part: &str) -> String {
    exchanges(tape)
        .map(|exchange| exchange[part].as_str().unwrap())
        .collect()
}

pub(crate) fn removed(tape: &Value) -> u64 {
    exchanges(tape)
        .filter_map(|exchange| exchange["annotations"]["redacted"].as_u64())
        .sum()
}

/// Returns the text with plain newlines, without empty lines and without spaces at the ends of lines.
pub(crate) fn plain(text: &str) -> String {
    let text = text.replace('\r', "\n");
    let lines = text.lines().map(str::trim_end);
    lines
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect()
}

/// Returns typed text as records show it.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\r', "\\r").replace('\n', "\\n")
}

pub(crate) fn all_secrets(cases: &[Case]) -> Vec<String> {
    let mut secrets: Vec<String> = cases
        .iter()
        .flat_map(|case| case.secrets.iter().cloned())
        .collect();
    secrets.sort();
    secrets.dedup();
    secrets
}

/// A program like `cat`, but it prints what was typed only after a line that starts with `mark `: so the terminal has
/// shown all lines of a text before the first is printed.
pub(crate) const CAT: [&str; 3] = [
    "python3",
    "-c",
    "import sys\n\
     lines, out = [], sys.stdout.buffer\n\
     for line in iter(sys.stdin.buffer.readline, b''):\n\
     \x20   lines.append(line)\n\
     \x20   if line.startswith(b'mark '):\n\
     \x20       out.write(b''.join(lines))\n\
     \x20       out.flush()\n\
     \x20       lines = []\n\
     out.write(b''.join(lines))\n",
];

/// Types each text into [`CAT`] or a program like it, which makes it appear twice.
pub(crate) fn type_at_cat<'a>(
    daemon: &Daemon,
    session: &str,
    texts: impl Iterator<Item = &'a str>,
) {
    for (number, text) in texts.enumerate() {
        line(daemon, session, text);
        let mark = format!("mark {number}.");
        ask(
            daemon,
            session,
            (Some(&mark), &format!("{mark}\n(?s:.*){mark}\n$")),
        )
        .unwrap();
    }
}
