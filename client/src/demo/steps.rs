//! The commands of the demo.

use std::process::Output;

#[derive(Debug)]
pub(super) struct Step {
    pub(super) about: &'static str,
    pub(super) words: Vec<String>,
    /// A part of the expected output.
    pub(super) shows: &'static str,
    pub(super) status: i32,
    pub(super) only_looks: bool,
}

impl Step {
    pub(super) fn is_satisfied(&self, output: &Output) -> bool {
        let text = String::from_utf8_lossy(&output.stdout);
        output.status.code() == Some(self.status) && text.contains(self.shows)
    }
}

/// A password prompt: it turns echo off.
const LOGIN: &str = "stty -echo; printf 'password: '; read -r p; stty echo; echo; \
                     [ \"$p\" = secret ] && echo welcome";

/// The recorded session and the replayed one, whose outputs must be the same.
pub(super) const RECORDED: &str = "recorded";
pub(super) const REPLAYED: &str = "replayed";

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
    pub(super) fn here() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let has_bc = std::env::split_paths(&path).any(|folder| folder.join("bc").is_file());
        if has_bc { WITH_BC } else { WITH_SH }
    }
}

/// Returns the steps in order; they need only `sh` and other POSIX commands.
pub(super) fn steps(conversation: Conversation) -> Vec<Step> {
    let mut steps = of_sessions();
    steps.extend(of_tapes(conversation));
    steps.push(step(
        "List the sessions.",
        &["session", "list", "--all"],
        "login",
    ));
    steps
}

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
            "Record a program.",
            &create(RECORDED, &["--record", "new"]),
            "",
        ),
        step(
            "Ask it something.",
            &["session", "send", RECORDED, question, "--expect", answer],
            answer,
        ),
        step(
            "Let it exit; then the tape is written.",
            &["session", "send", RECORDED, end],
            "",
        ),
        Step {
            only_looks: true,
            ..step("List the tapes.", &["tape", "list"], program[0])
        },
        step(
            "Replay the tape in place of the program, which is not on this PATH.",
            &create(
                REPLAYED,
                &["--record", "disabled", "--env", "PATH=/nowhere"],
            ),
            "",
        ),
        step(
            "Ask it the same.",
            &["session", "send", REPLAYED, question, "--expect", answer],
            answer,
        ),
        step("Let it exit.", &["session", "send", REPLAYED, end], ""),
        Step {
            only_looks: true,
            ..step(
                "It exited with the status of the program.",
                &["session", "get", REPLAYED],
                "exited 0",
            )
        },
    ]
}

fn of_sessions() -> Vec<Step> {
    vec![
        step(
            "Start a shell in its own terminal. The daemon starts on demand.",
            &["session", "create", "--name", "sh", "--shell", "--", "sh"],
            "",
        ),
        step(
            "Type a line and wait for the answer, in one command and without sleep.",
            &["session", "send", "sh", "echo $((6 * 7))", "--expect", "42"],
            "42",
        ),
        step(
            "Print the screen as a terminal would show it.",
            &["session", "screen", "sh"],
            "42",
        ),
        failing(
            "Run a command in the shell: you get exactly its output and exit status.",
            &["session", "run", "sh", "cd /; pwd; (exit 7)"],
            "/",
            7,
        ),
        step(
            "Start a program that asks for a password.",
            &[
                "session", "create", "--name", "login", "--", "sh", "-c", LOGIN,
            ],
            "",
        ),
        step(
            "Check that it is waiting for input. The daemon looks this up; it does not guess.",
            &["session", "wait", "login", "--input"],
            "input",
        ),
        step(
            "Type the password. Hidden input is never recorded.",
            &["session", "send", "login", "secret", "--expect", "welcome"],
            "welcome",
        ),
        Step {
            only_looks: true,
            ..step(
                "Show who typed what.",
                &["session", "history", "login"],
                "<hidden>",
            )
        },
        failing(
            "Run one program: ccctl prints its output and exits with its status.",
            &["run", "--", "sh", "-c", "echo hi; exit 5"],
            "hi",
            5,
        ),
        failing(
            "Limit how long it may run.",
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
