//! What the demo types.

use std::process::Output;

/// A command, and what it must do for the demo to have worked.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) about: &'static str,
    pub(super) words: Vec<String>,
    /// Part of what it prints.
    pub(super) shows: &'static str,
    pub(super) status: i32,
    /// It can be run again without changing anything.
    pub(super) only_looks: bool,
}

impl Step {
    /// True when the step did what it must.
    pub(super) fn is_satisfied(&self, output: &Output) -> bool {
        let text = String::from_utf8_lossy(&output.stdout);
        output.status.code() == Some(self.status) && text.contains(self.shows)
    }
}

/// A prompt that hides what is typed, as those for passwords do.
const LOGIN: &str = "stty -echo; printf 'password: '; read -r p; stty echo; echo; \
                     [ \"$p\" = secret ] && echo welcome";

/// The sessions that must have printed the same: the recorded one and the replayed one.
pub(super) const RECORDED: &str = "recorded";
pub(super) const REPLAYED: &str = "replayed";

/// A program to record, and what it is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Conversation {
    program: &'static [&'static str],
    question: &'static str,
    answer: &'static str,
    end: &'static str,
}

const WITH_BC: Conversation = Conversation {
    program: &["bc", "-q"],
    question: "6 * 7",
    answer: "42",
    end: "quit",
};

const WITH_SH: Conversation = Conversation {
    program: &["sh", "-i"],
    question: "echo $((6 * 7))",
    answer: "42",
    end: "exit",
};

impl Conversation {
    /// One with a program that is there.
    pub(super) fn here() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let has_bc = std::env::split_paths(&path).any(|folder| folder.join("bc").is_file());
        if has_bc { WITH_BC } else { WITH_SH }
    }
}

/// Returns the steps in their order; only `sh` and what POSIX has beside it is needed.
pub(super) fn steps(conversation: Conversation) -> Vec<Step> {
    let mut steps = of_sessions();
    steps.extend(of_tapes(conversation));
    steps.push(step(
        "What there is.",
        &["session", "list", "--all"],
        "login",
    ));
    steps
}

/// A recording and its replay.
fn of_tapes(conversation: Conversation) -> Vec<Step> {
    let Conversation {
        program,
        question,
        answer,
        end,
    } = conversation;
    let create = |name, options: &[&'static str]| {
        let create = ["session", "create", "--name", name];
        [&create, options, &["--"], program].concat()
    };
    vec![
        step(
            "Record a program: what it prints, and what it is asked.",
            &create(RECORDED, &["--record", "new"]),
            "",
        ),
        step(
            "Ask it something.",
            &["session", "send", RECORDED, question, "--expect", answer],
            answer,
        ),
        step(
            "When it has ended there is a tape.",
            &["session", "send", RECORDED, end],
            "",
        ),
        Step {
            only_looks: true,
            ..step("Here it is.", &["tape", "list"], program[0])
        },
        step(
            "The tape answers in place of the program, which this PATH does not have.",
            &create(
                REPLAYED,
                &["--record", "disabled", "--env", "PATH=/nowhere"],
            ),
            "",
        ),
        step(
            "Ask the same again.",
            &["session", "send", REPLAYED, question, "--expect", answer],
            answer,
        ),
        step("And let it end.", &["session", "send", REPLAYED, end], ""),
        Step {
            only_looks: true,
            ..step(
                "It has ended as the program did.",
                &["session", "get", REPLAYED],
                "exited 0",
            )
        },
    ]
}

fn of_sessions() -> Vec<Step> {
    vec![
        step(
            "A shell on a terminal of its own. The daemon starts by itself.",
            &["session", "create", "--name", "sh", "--shell", "--", "sh"],
            "",
        ),
        step(
            "Type a line and wait for the answer, in one call and without sleeping.",
            &["session", "send", "sh", "echo $((6 * 7))", "--expect", "42"],
            "42",
        ),
        step(
            "The screen as a terminal shows it now.",
            &["session", "screen", "sh"],
            "42",
        ),
        failing(
            "Run a command in it: exactly its output, and its status.",
            &["session", "run", "sh", "cd /; pwd; (exit 7)"],
            "/",
            7,
        ),
        step(
            "A program that asks for a password.",
            &[
                "session", "create", "--name", "login", "--", "sh", "-c", LOGIN,
            ],
            "",
        ),
        step(
            "Is it waiting for input? That is looked up, not guessed.",
            &["session", "wait", "login", "--input"],
            "input",
        ),
        step(
            "Answer it; a hidden answer is never recorded.",
            &["session", "send", "login", "secret", "--expect", "welcome"],
            "welcome",
        ),
        Step {
            only_looks: true,
            ..step(
                "Who typed what.",
                &["session", "history", "login"],
                "<hidden>",
            )
        },
        failing(
            "A program that runs once passes its output and its status on.",
            &["run", "--", "sh", "-c", "echo hi; exit 5"],
            "hi",
            5,
        ),
        failing(
            "And never longer than it may.",
            &["run", "--timeout", "0.5", "--", "sleep", "60"],
            "",
            124,
        ),
    ]
}

fn step(about: &'static str, words: &[&str], shows: &'static str) -> Step {
    failing(about, words, shows, 0)
}

fn failing(about: &'static str, words: &[&str], shows: &'static str, status: i32) -> Step {
    Step {
        about,
        words: words.iter().map(|&word| word.to_owned()).collect(),
        shows,
        status,
        only_looks: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Ccctl;
    use clap::Parser as _;

    #[test]
    fn every_step_is_a_valid_command() {
        for step in [WITH_BC, WITH_SH].into_iter().flat_map(steps) {
            let words = std::iter::once("ccctl").chain(step.words.iter().map(String::as_str));
            Ccctl::try_parse_from(words).unwrap();
        }
    }
}
