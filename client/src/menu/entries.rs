//! What the menu offers: each thing is a command, and what it needs to know.

use super::tapes::TAPES;
use Part::{Choose, Option, Pick, Text, Word, Words};
use Source::{Chains, LiveSessions, Programs, Sessions, Tapes};

/// Something to work with.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) actions: &'static [Action],
}

/// Something to do: its command, word by word.
#[derive(Debug)]
pub(super) struct Action {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) words: &'static [Part],
}

/// A part of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A word as it is.
    Word(&'static str),
    /// One of a list that the daemon has.
    Pick(Source),
    /// One of these words.
    Choose(&'static str, &'static [&'static str]),
    /// A text as one word.
    Text(&'static str),
    /// Words as in a shell, at least one: what they are, and an example.
    Words(&'static str, &'static str),
    /// An option and its text, or neither when nothing is typed.
    Option(&'static str, &'static str),
}

/// Where a list to pick from comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    LiveSessions,
    Sessions,
    Programs,
    Chains,
    Tapes,
}

impl Source {
    /// What is picked.
    pub(super) fn name(self) -> &'static str {
        match self {
            LiveSessions | Sessions => "session",
            Programs => "program",
            Chains => "chain",
            Tapes => "tape",
        }
    }
}

pub(super) const PROGRAM: Part = Words("the program and its arguments", "python3 -q");
const COMMANDS: Part = Words("the commands, each in quotes", "'make' 'make test'");

const SIGNALS: &[&str] = &["INT", "TERM", "HUP", "KILL", "STOP", "CONT"];

/// Everything there is; a noun that comes later adds its entry here.
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "sessions",
        about: "programs that go on in the daemon: look, type, start, end",
        actions: SESSIONS,
    },
    Entry {
        name: "run",
        about: "one program on a terminal, to its end",
        actions: RUN,
    },
    Entry {
        name: "programs",
        about: "how to start a program, answer it and know that it is ready",
        actions: PROGRAMS,
    },
    Entry {
        name: "chains",
        about: "commands in a row or side by side, as a job",
        actions: CHAINS,
    },
    Entry {
        name: "tapes",
        about: "record a program, and let the recording stand in for it",
        actions: TAPES,
    },
    Entry {
        name: "patterns",
        about: "what prompts, errors and data look like, and what a text is",
        actions: PATTERNS,
    },
    Entry {
        name: "status",
        about: "the daemon: what it holds, its log, its configuration",
        actions: STATUS,
    },
];

const SESSIONS: &[Action] = &[
    Action {
        name: "list",
        about: "what runs, and whether it waits for input",
        words: &[Word("session"), Word("list")],
    },
    Action {
        name: "top",
        about: "the same, live, with keys",
        words: &[Word("top")],
    },
    Action {
        name: "start",
        about: "start a program",
        words: &[
            Word("session"),
            Word("create"),
            Option("--name", "a name for it, or nothing"),
            Word("--"),
            PROGRAM,
        ],
    },
    Action {
        name: "open",
        about: "start a program and attach to it",
        words: &[
            Word("session"),
            Word("create"),
            Word("--attach"),
            Option("--name", "a name for it, or nothing"),
            Word("--"),
            PROGRAM,
        ],
    },
    Action {
        name: "shell",
        about: "start your shell, for commands to run in",
        words: &[
            Word("session"),
            Word("create"),
            Option("--name", "a name for it, or nothing"),
            Word("--shell"),
        ],
    },
    Action {
        name: "attach",
        about: "make this terminal the session's",
        words: &[Word("session"), Word("attach"), Pick(LiveSessions)],
    },
    Action {
        name: "type",
        about: "type a line into one",
        words: &[
            Word("session"),
            Word("send"),
            Pick(LiveSessions),
            Word("--"),
            Text("the line to type"),
        ],
    },
    Action {
        name: "command",
        about: "run a command in a shell that waits at its prompt",
        words: &[
            Word("session"),
            Word("run"),
            Pick(LiveSessions),
            Word("--"),
            Text("the command"),
        ],
    },
    Action {
        name: "screen",
        about: "show its screen",
        words: &[Word("session"), Word("screen"), Pick(Sessions)],
    },
    Action {
        name: "read",
        about: "show its last 50 lines",
        words: &[
            Word("session"),
            Word("read"),
            Pick(Sessions),
            Word("--lines"),
            Word("50"),
        ],
    },
    Action {
        name: "pipe",
        about: "a file that streams what happens, for cat or grep",
        words: &[Word("session"), Word("pipe"), Pick(LiveSessions)],
    },
    Action {
        name: "history",
        about: "show who typed what",
        words: &[Word("session"), Word("history"), Pick(Sessions)],
    },
    Action {
        name: "signal",
        about: "send a signal to its program",
        words: &[
            Word("session"),
            Word("signal"),
            Pick(LiveSessions),
            Choose("signal", SIGNALS),
        ],
    },
    Action {
        name: "close",
        about: "end it",
        words: &[Word("session"), Word("close"), Pick(LiveSessions)],
    },
    Action {
        name: "clean",
        about: "forget those that have ended",
        words: &[Word("session"), Word("clean")],
    },
];

const RUN: &[Action] = &[
    Action {
        name: "program",
        about: "run it here; its status is ccctl's",
        words: &[Word("run"), Word("--"), PROGRAM],
    },
    Action {
        name: "in time",
        about: "end it after so many seconds",
        words: &[
            Word("run"),
            Option("--timeout", "seconds, or nothing for no limit"),
            Word("--"),
            PROGRAM,
        ],
    },
    Action {
        name: "shell line",
        about: "a line for sh, with pipes and the like",
        words: &[
            Word("run"),
            Word("--shell"),
            Word("--"),
            Text("the line, such as ls | wc -l"),
        ],
    },
];

const PROGRAMS: &[Action] = &[
    Action {
        name: "list",
        about: "those that are saved",
        words: &[Word("program"), Word("list")],
    },
    Action {
        name: "start",
        about: "start a session with one",
        words: &[
            Word("session"),
            Word("create"),
            Word("--config"),
            Pick(Programs),
            Option("--set", "NAME=VALUE where it has a placeholder, or nothing"),
            Option("--name", "a name for the session, or nothing"),
        ],
    },
    Action {
        name: "show",
        about: "show its steps",
        words: &[Word("program"), Word("show"), Pick(Programs)],
    },
    Action {
        name: "save",
        about: "make one of what was done in a session",
        words: &[
            Word("program"),
            Word("save"),
            Text("a name for it"),
            Word("--session"),
            Pick(Sessions),
        ],
    },
    Action {
        name: "delete",
        about: "delete a saved one",
        words: &[Word("program"), Word("delete"), Pick(Programs)],
    },
];

const CHAINS: &[Action] = &[
    Action {
        name: "list",
        about: "those that are saved",
        words: &[Word("chain"), Word("list")],
    },
    Action {
        name: "run",
        about: "run a saved one",
        words: &[Word("chain"), Word("run"), Pick(Chains)],
    },
    Action {
        name: "show",
        about: "show its steps",
        words: &[Word("chain"), Word("show"), Pick(Chains)],
    },
    Action {
        name: "save",
        about: "save commands under a name",
        words: &[
            Word("chain"),
            Word("save"),
            Text("a name for it"),
            Word("--"),
            COMMANDS,
        ],
    },
    Action {
        name: "delete",
        about: "delete a saved one",
        words: &[Word("chain"), Word("delete"), Pick(Chains)],
    },
    Action {
        name: "parallel",
        about: "run commands side by side",
        words: &[Word("parallel"), Word("--"), COMMANDS],
    },
    Action {
        name: "watch",
        about: "run a program and tell of what it prints",
        words: &[
            Word("watch"),
            Word("--pattern"),
            Text("a regular expression to look for"),
            Word("--"),
            PROGRAM,
        ],
    },
];

const TYPES: &[&str] = &["prompt", "error", "help", "data_format", "state"];

const PATTERNS: &[Action] = &[
    Action {
        name: "list",
        about: "what is built in, and what was set",
        words: &[Word("pattern"), Word("list")],
    },
    Action {
        name: "classify",
        about: "what a text in a file is: an error, a prompt, data, help",
        words: &[
            Word("pattern"),
            Word("classify"),
            Word("--file"),
            Text("the file"),
        ],
    },
    Action {
        name: "set",
        about: "add a category, or replace one",
        words: &[
            Word("pattern"),
            Word("set"),
            Choose("what it recognises", TYPES),
            Text("the category"),
            Word("--"),
            Text("a regular expression"),
        ],
    },
    Action {
        name: "unset",
        about: "remove what was set",
        words: &[
            Word("pattern"),
            Word("unset"),
            Choose("what it recognises", TYPES),
            Text("the category"),
        ],
    },
];

const STATUS: &[Action] = &[
    Action {
        name: "status",
        about: "what the daemon holds and uses",
        words: &[Word("daemon"), Word("status")],
    },
    Action {
        name: "jobs",
        about: "long work, now and before",
        words: &[Word("job"), Word("list")],
    },
    Action {
        name: "log",
        about: "the daemon's last 40 lines",
        words: &[Word("daemon"), Word("logs"), Word("-n"), Word("40")],
    },
    Action {
        name: "configuration",
        about: "every key, its value and where it comes from",
        words: &[Word("config"), Word("list")],
    },
    Action {
        name: "check",
        about: "check databases and session folders",
        words: &[Word("daemon"), Word("check")],
    },
    Action {
        name: "stop",
        about: "end all sessions and the daemon",
        words: &[Word("daemon"), Word("stop")],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Ccctl;
    use clap::Parser as _;

    /// A command with every part given.
    fn example(action: &Action) -> Vec<&'static str> {
        let mut words = vec!["ccctl"];
        for part in action.words {
            match part {
                Word(word) => words.push(word),
                Pick(_) => words.push("py"),
                Choose(_, all) => words.push(all[0]),
                Text(_) => words.push(if words.contains(&"--") { "-x" } else { "x" }),
                Words(..) => words.extend(["cat", "-u"]),
                Option(option, _) => {
                    let value = if *option == "--set" { "a=5" } else { "5" };
                    words.extend([*option, value]);
                }
            }
        }
        words
    }

    #[test]
    fn everything_that_is_offered_is_a_command() {
        for action in ENTRIES.iter().flat_map(|entry| entry.actions) {
            let words = example(action);
            let parsed = Ccctl::try_parse_from(&words);
            assert!(parsed.is_ok(), "{words:?}: {}", parsed.unwrap_err());
        }
    }
}
