//! The commands of the demo, which `steps.json` has.

use ccd_base::shell;
use serde::Deserialize;
use std::process::Output;

#[derive(Debug, Deserialize)]
pub(super) struct Step {
    pub(super) about: String,
    /// As typed in a shell.
    command: String,
    #[serde(skip)]
    pub(super) words: Vec<String>,
    /// A part of the expected output.
    #[serde(default)]
    pub(super) shows: String,
    #[serde(default)]
    pub(super) status: i32,
    #[serde(default)]
    pub(super) only_looks: bool,
    /// The last of a chapter, after which a person may want to read.
    #[serde(default)]
    pub(super) pause: bool,
}

impl Step {
    pub(super) fn is_satisfied(&self, output: &Output) -> bool {
        let text = String::from_utf8_lossy(&output.stdout);
        output.status.code() == Some(self.status) && text.contains(&self.shows)
    }
}

/// The recorded session and the replayed one, whose outputs must be the same.
pub(super) const RECORDED: &str = "recorded";
pub(super) const REPLAYED: &str = "replayed";

/// The program that is recorded: what the words in braces stand for.
type Conversation = [(&'static str, &'static str); 5];

const WITH_BC: Conversation = [
    ("{name}", "bc"),
    ("{program}", "bc -q"),
    ("{question}", "'6 * 7'"),
    ("{answer}", "42"),
    ("{end}", "quit"),
];

const WITH_SH: Conversation = [
    ("{name}", "sh"),
    ("{program}", "sh -i"),
    ("{question}", "'echo $((6 * 7))'"),
    ("{answer}", "42"),
    ("{end}", "exit"),
];

/// Returns the steps in order; they need only `sh` and other POSIX commands.
pub(super) fn steps() -> Vec<Step> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has_bc = std::env::split_paths(&path).any(|folder| folder.join("bc").is_file());
    steps_with(if has_bc { WITH_BC } else { WITH_SH })
}

fn steps_with(conversation: Conversation) -> Vec<Step> {
    let steps: Vec<Step> =
        serde_json::from_str(include_str!("steps.json")).expect("a test reads it");
    let filled = |text: &str| {
        let fill = |text: String, (name, value)| text.replace(name, value);
        conversation.into_iter().fold(text.to_owned(), fill)
    };
    let ready = |step: Step| Step {
        words: shell::split(&filled(&step.command))
            .expect("a test reads it")
            .words,
        shows: filled(&step.shows),
        ..step
    };
    steps.into_iter().map(ready).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Ccctl;

    #[test]
    fn every_step_is_a_valid_command() {
        for step in [WITH_BC, WITH_SH].into_iter().flat_map(steps_with) {
            let words = std::iter::once("ccctl".into()).chain(step.words.iter().map(Into::into));
            Ccctl::parse_words(&words.collect::<Vec<_>>()).unwrap();
        }
    }
}
