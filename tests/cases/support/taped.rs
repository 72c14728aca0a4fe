//! The content of a tape, read from the lines that the daemon writes.

use super::daemon::Daemon;
use super::files::files;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
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

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

/// Asserts that tapes are complete, and that nothing partly written is left.
#[track_caller]
pub(crate) fn assert_whole(daemon: &Daemon, root: &Path) {
    let params = json!({"root": root, "strict": true});
    let found = daemon.call_value("tape.validate", &params).unwrap();
    assert_eq!(
        (&found["valid"], &found["problems"]),
        (&json!(true), &json!([])),
        "{found}"
    );
    let journals = files(&root.join(".journal"));
    assert!(journals.is_empty(), "{journals:?}");
    let notes = files(&daemon.home().join("sessions"));
    let notes: Vec<&PathBuf> = notes
        .iter()
        .filter(|path| path.ends_with("recording.json"))
        .collect();
    assert!(notes.is_empty(), "{notes:?}");
}
