//! How good the detection is: precision and recall for each kind of signal, on cases that were labelled by reading.
//!
//! The rules were written with the cases of `tuned.jsonl` at hand. Those of `held_out.jsonl` were written before the
//! rules, and are there to see whether the rules hold for cases that they were not made for. Those of `others.jsonl` were
//! written by a second author, who then changed the rules: 230 cases before that author had read them, 134 made to
//! mislead, and 75 ordinary ones.

use super::Detector;
use crate::patterns::PatternSet;
use crate::payload::Payload;
use crate::signal::SignalType;
use crate::table::lists;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const SETS: [(&str, &str); 3] = [
    (
        "tuned",
        include_str!("../../tests/fixtures/labelled/tuned.jsonl"),
    ),
    (
        "held out",
        include_str!("../../tests/fixtures/labelled/held_out.jsonl"),
    ),
    (
        "others",
        include_str!("../../tests/fixtures/labelled/others.jsonl"),
    ),
];

/// What the specification asks for of each kind of signal.
const MIN_PRECISION: f64 = 0.95;
const MIN_RECALL: f64 = 0.85;

/// Prints the tables of COACH, and checks them.
#[test]
fn labelled_cases_are_detected_as_well_as_asked_for() {
    let patterns = Arc::new(PatternSet::built_in());
    for (name, lines) in SETS {
        let cases: Vec<Case> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(cases.len() >= 200);
        let judged: Vec<Judged> = cases.iter().map(|case| case.judged(&patterns)).collect();
        let mistakes: Vec<&str> = judged
            .iter()
            .filter(|judged| judged.expected != judged.found)
            .map(|judged| judged.shown.as_str())
            .collect();
        println!(
            "\n{name}: {} cases\n\n| signal | precision | recall | hits | false alarms | misses |\n|---|---|---|---|---|---|",
            cases.len()
        );
        for signal_type in SignalType::ALL {
            let count = |is_expected: bool, is_found: bool| {
                let is_counted = |judged: &&Judged| {
                    judged.expected.contains(&signal_type) == is_expected
                        && judged.found.contains(&signal_type) == is_found
                };
                judged.iter().filter(is_counted).count() as f64
            };
            let (hits, false_alarms, misses) =
                (count(true, true), count(false, true), count(true, false));
            let (precision, recall) = (hits / (hits + false_alarms), hits / (hits + misses));
            let signal = json!(signal_type);
            println!(
                "| {} | {precision:.3} | {recall:.3} | {hits} | {false_alarms} | {misses} |",
                signal.as_str().unwrap()
            );
            assert!(
                precision >= MIN_PRECISION && recall >= MIN_RECALL,
                "{name}: {signal}: {precision} {recall}\n{}",
                mistakes.join("\n")
            );
        }
    }
}

/// A prompt, a command, an edit or the end of a turn, with the kinds of signals that a careful reader sees in it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    prompt: Option<String>,
    /// Whether the prompt is the first of a session that was seen to start.
    #[serde(default)]
    first: bool,
    /// Whether the assistant has edited a file before.
    #[serde(default)]
    acted: bool,
    /// Earlier prompts of the session.
    #[serde(default)]
    history: Vec<String>,
    command: Option<String>,
    #[serde(default)]
    exit_code: i32,
    #[serde(default)]
    stderr: String,
    /// A tool that worked on `file`.
    tool: Option<String>,
    file: Option<String>,
    /// The assistant's last message.
    stop: Option<String>,
    /// Number of tool results of the turn.
    #[serde(default)]
    tool_outputs: usize,
    expect: Vec<SignalType>,
}

/// The signals of one case: those that a reader sees, and those that the detector finds.
struct Judged {
    expected: BTreeSet<SignalType>,
    found: BTreeSet<SignalType>,
    shown: String,
}

impl Case {
    fn judged(&self, patterns: &Arc<PatternSet>) -> Judged {
        let mut detector = Detector::new(Arc::clone(patterns));
        let payloads = self.payloads();
        let detected = payloads.iter().map(|payload| detector.detect(payload));
        let signals = detected.last().unwrap().signals;
        let found: BTreeSet<_> = signals.iter().map(|signal| signal.signal_type).collect();
        let expected: BTreeSet<_> = self.expect.iter().copied().collect();
        Judged {
            shown: format!("+{found:?} -{expected:?}: {}", self.shown()),
            expected,
            found,
        }
    }

    /// Returns the payloads of the case; the signals of the last one are what is judged.
    fn payloads(&self) -> Vec<Payload> {
        let mut payloads = Vec::new();
        if self.first {
            payloads.push(json!({"hook_event_name": "SessionStart", "source": "startup"}));
        }
        payloads.extend(self.history.iter().map(|prompt| prompt_payload(prompt)));
        if self.acted {
            payloads.push(json!({"hook_event_name": "PostToolUse", "tool_name": "Edit"}));
        }
        if let Some(prompt) = &self.prompt {
            payloads.push(prompt_payload(prompt));
        }
        if let Some(command) = &self.command {
            let mut payload = json!({"tool_name": "Bash", "tool_input": {"command": command}});
            if self.exit_code == 0 {
                payload["hook_event_name"] = "PostToolUse".into();
                payload["tool_response"] = json!({"stdout": "", "stderr": self.stderr});
            } else {
                payload["hook_event_name"] = "PostToolUseFailure".into();
                payload["error"] = format!("Exit code {}\n{}", self.exit_code, self.stderr).into();
            }
            payloads.push(payload);
        }
        if let (Some(tool), Some(file)) = (&self.tool, &self.file) {
            payloads.push(json!({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {"file_path": file}}));
        }
        if let Some(message) = &self.stop {
            let result = json!({"hook_event_name": "PostToolUse", "tool_name": "Read"});
            payloads.extend(std::iter::repeat_n(result, self.tool_outputs));
            payloads.push(json!({"hook_event_name": "Stop", "last_assistant_message": message}));
        }
        payloads
            .iter()
            .filter_map(|payload| Payload::parse(payload.to_string().as_bytes()).ok())
            .collect()
    }

    /// Returns what is judged, in a few words.
    fn shown(&self) -> String {
        let texts = [&self.prompt, &self.command, &self.file, &self.stop];
        let mut shown = texts
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
            .join(" ");
        if self.command.is_some() {
            shown.push_str(&format!(" -> {} {}", self.exit_code, self.stderr));
        }
        shown
    }
}

/// Every row of a file whose lists are languages: `+` is a correction, `-` is none.
#[test]
fn corrections_are_told_from_friendly_answers_and_tasks_in_nine_languages() {
    let patterns = Arc::new(PatternSet::built_in());
    let languages = lists(include_str!("../../tests/fixtures/labelled/languages.txt"));
    assert_eq!(languages.len(), 9);
    let mut wrong = Vec::new();
    for (language, rows) in languages {
        for row in rows {
            let (label, prompt) = row.split_once(' ').unwrap();
            let payload = Payload::parse(prompt_payload(prompt).to_string().as_bytes()).unwrap();
            let signals = Detector::new(Arc::clone(&patterns))
                .detect(&payload)
                .signals;
            let mut kinds = signals.iter().map(|signal| signal.signal_type);
            let is_correction = kinds.any(|kind| kind == SignalType::UserCorrection);
            if is_correction != (label == "+") {
                wrong.push(format!("{language}: {row}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

fn prompt_payload(prompt: &str) -> Value {
    json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt})
}
