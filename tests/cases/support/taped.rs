//! The content of a tape, read from the lines that the daemon writes.

use super::assertions::assert_fields;
use super::daemon::Daemon;
use super::files::files;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The parts of a tape that tests compare.
#[derive(Debug, Default)]
pub(crate) struct Taped {
    /// Each input as it was typed; Enter is a line feed.
    pub(crate) inputs: Vec<String>,
    pub(crate) output: Vec<u8>,
    /// The line that says how it ended.
    pub(crate) exit: String,
}

impl Taped {
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let mut taped = Self::default();
        for line in text.lines().map(str::trim_start) {
            if let Some(input) = line.strip_prefix("input: { type: ") {
                let text = between(input, "dataText: \"", "\", dataBytesB64").unwrap_or_default();
                let end = if input.starts_with("\"line\"") {
                    "\n"
                } else {
                    ""
                };
                let text = text.replace("\\r", "\r").replace("\\u0004", "\u{4}");
                taped
                    .inputs
                    .push(format!("{text}{end}").replace('\r', "\n"));
            } else if let Some(data) = between(line, "dataB64: \"", "\", isUtf8") {
                taped.output.extend(STANDARD.decode(data).unwrap());
            } else if line.starts_with("exit: {") || line.contains("ended: \"") {
                line.clone_into(&mut taped.exit);
            }
        }
        taped
    }

    /// Asserts that all of `typed` is on the tape, in this order; there may be other inputs in between. Input that a
    /// program that reads keys had not shown when everything was killed is masked.
    #[track_caller]
    pub(crate) fn has_inputs(&self, typed: &[String]) {
        let mut inputs = self.inputs.iter();
        for line in typed {
            assert!(
                inputs.any(|input| input == line || input == "***\n"),
                "{line:?} of {typed:?} is missing in {:?}",
                self.inputs
            );
        }
    }

    /// Asserts the same for input that was typed key by key.
    #[track_caller]
    pub(crate) fn has_keys(&self, typed: &str) {
        let all = self.inputs.concat();
        let mut keys = all.chars();
        let found = typed.chars().all(|key| keys.any(|have| have == key));
        assert!(found, "{typed:?} is not in {:?}: {self:?}", self.inputs);
    }
}

/// Returns an exchange of a tape: its prompt, how its input is typed (`line` or `raw`) and which, and its answer in chunks, each
/// after so many milliseconds.
pub(crate) fn exchange(prompt: &str, kind: &str, input: &str, answer: &[(u64, &str)]) -> Value {
    let chunks = answer.iter();
    let chunks: Vec<Value> = chunks
        .map(|(delay, text)| json!({"delay_ms": delay, "dataText": text}))
        .collect();
    json!({"pre": {"prompt": prompt}, "input": {"type": kind, "dataText": input}, "output": {"chunks": chunks}})
}

/// Returns a tape of a program without arguments with these exchanges.
pub(crate) fn tape_of(program: &str, exchanges: &[Value]) -> String {
    let meta = json!({"createdAt": "2026-01-02T03:04:05.000Z", "program": program, "args": [], "env": {}, "cwd": "/"});
    json!({"meta": meta, "session": {"format": 1}, "exchanges": exchanges}).to_string()
}

/// Returns a tape of a program that prints `hello` and a prompt, and answers each of these lines with two chunks, each after
/// so many milliseconds.
pub(crate) fn handmade(program: &str, answers: &[(&str, &str, u64)]) -> String {
    let mut exchanges = vec![exchange("", "raw", "", &[(0, "hello\r\n> ")])];
    exchanges.extend(answers.iter().map(|&(input, answer, delay)| {
        let chunks = [(delay, &*format!("{answer}\r\n")), (delay, "> ")];
        exchange("> ", "line", input, &chunks)
    }));
    tape_of(program, &exchanges)
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

/// Asserts that tapes are complete, and that nothing partly written is left.
#[track_caller]
pub(crate) fn assert_whole(daemon: &Daemon, root: &Path) {
    let params = json!({"root": root, "strict": true});
    let found = daemon.ok("tape.validate", &params);
    assert_fields(&found, json!({"valid": true, "problems": []}));
    let journals = files(&root.join(".journal"));
    assert!(journals.is_empty(), "{journals:?}");
    let notes = files(&daemon.home().join("sessions"));
    let notes: Vec<&PathBuf> = notes
        .iter()
        .filter(|path| path.ends_with("recording.json"))
        .collect();
    assert!(notes.is_empty(), "{notes:?}");
}
