//! The content of the menu: each action is a command, with the values that it needs.

use super::coach::COACH;
use super::conversations::CONVERSATIONS;
use super::discover::{DISCOVER, TESTS};
use super::exec::EXEC;
use super::memory::MEMORY;
use super::tapes::TAPES;
use ActionPart::{Choose, Fixed, Option, Pick, Text, Words};
use Source::{
    Chains, Conversations, Executions, Investigations, LiveSessions, Programs, Sessions, Tapes,
    TestReports, Transcripts,
};

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) actions: &'static [Action],
}

/// An action: its command, word by word.
#[derive(Debug)]
pub(super) struct Action {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) words: &'static [ActionPart],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ActionPart {
    Fixed(&'static str),
    /// An item of a list from the daemon.
    Pick(Source),
    /// One of these words, after a text that says what it is.
    Choose(&'static str, &'static [&'static str]),
    /// A typed text, as one word.
    Text(&'static str),
    /// Typed words as in a shell, at least one: what they are, and an example.
    Words(&'static str, &'static str),
    /// An option with a typed value; left out if nothing is typed.
    Option(&'static str, &'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    LiveSessions,
    Sessions,
    Programs,
    Chains,
    Tapes,
    Executions,
    /// Of the executor.
    Conversations,
    /// Of Claude Code.
    Transcripts,
    Investigations,
    TestReports,
}

impl Source {
    pub(super) fn name(self) -> &'static str {
        match self {
            LiveSessions | Sessions => "session",
            Programs => "program",
            Chains => "chain",
            Tapes => "tape",
            Executions => "run",
            Conversations | Transcripts => "conversation",
            Investigations | TestReports => "report",
        }
    }
}

pub(super) const PROGRAM: ActionPart = Words("program and arguments", "python3 -q");
const COMMANDS: ActionPart = Words("commands, each in quotes", "'make' 'make test'");

const SIGNALS: &[&str] = &["INT", "TERM", "HUP", "KILL", "STOP", "CONT"];

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "sessions",
        about: "start programs in the daemon, look at them, type, end them",
        actions: SESSIONS,
    },
    Entry {
        name: "run",
        about: "run one program until it exits",
        actions: RUN,
    },
    Entry {
        name: "programs",
        about: "manage program configurations: how to start a program and get it ready",
        actions: PROGRAMS,
    },
    Entry {
        name: "chains",
        about: "run commands in order or in parallel, as a job",
        actions: CHAINS,
    },
    Entry {
        name: "tapes",
        about: "record a program, and replay the recording in its place",
        actions: TAPES,
    },
    Entry {
        name: "discover",
        about: "find out what a program offers: commands, prompts, states",
        actions: DISCOVER,
    },
    Entry {
        name: "test",
        about: "test a program with inputs that it may not expect",
        actions: TESTS,
    },
    Entry {
        name: "patterns",
        about: "recognise prompts, errors and data in a text",
        actions: PATTERNS,
    },
    Entry {
        name: "exec",
        about: "run Claude Code on an instruction, and see what it changed",
        actions: EXEC,
    },
    Entry {
        name: "conversations",
        about: "list, search and show what was said to Claude Code, and what it cost",
        actions: CONVERSATIONS,
    },
    Entry {
        name: "memory",
        about: "keep where a project stands for the next session",
        actions: MEMORY,
    },
    Entry {
        name: "hooks",
        about: "connect Claude Code to the daemon",
        actions: HOOKS,
    },
    Entry {
        name: "coach",
        about: "turn repeated friction in Claude Code into rules",
        actions: COACH,
    },
    Entry {
        name: "status",
        about: "show the daemon: state, log, configuration",
        actions: STATUS,
    },
];

const SESSIONS: &[Action] = &[
    Action {
        name: "list",
        about: "list live sessions, and whether they wait for input",
        words: &[Fixed("session list")],
    },
    Action {
        name: "top",
        about: "show the sessions live, with keys",
        words: &[Fixed("top")],
    },
    Action {
        name: "start",
        about: "start a program",
        words: &[
            Fixed("session create"),
            Option("--name", "a name, or nothing"),
            Fixed("--"),
            PROGRAM,
        ],
    },
    Action {
        name: "open",
        about: "start a program and attach to it",
        words: &[
            Fixed("session create --attach"),
            Option("--name", "a name, or nothing"),
            Fixed("--"),
            PROGRAM,
        ],
    },
    Action {
        name: "shell",
        about: "start your shell, to run commands in it",
        words: &[
            Fixed("session create"),
            Option("--name", "a name, or nothing"),
            Fixed("--shell"),
        ],
    },
    Action {
        name: "attach",
        about: "attach this terminal to a session",
        words: &[Fixed("session attach"), Pick(LiveSessions)],
    },
    Action {
        name: "type",
        about: "type a line into a session",
        words: &[
            Fixed("session send"),
            Pick(LiveSessions),
            Fixed("--"),
            Text("line to type"),
        ],
    },
    Action {
        name: "command",
        about: "run a command in a shell session",
        words: &[
            Fixed("session run"),
            Pick(LiveSessions),
            Fixed("--"),
            Text("command"),
        ],
    },
    Action {
        name: "screen",
        about: "show the screen of a session",
        words: &[Fixed("session screen"), Pick(Sessions)],
    },
    Action {
        name: "read",
        about: "show the last 50 lines of output",
        words: &[Fixed("session read"), Pick(Sessions), Fixed("--lines 50")],
    },
    Action {
        name: "pipe",
        about: "open a named pipe with the events of a session, for cat or grep",
        words: &[Fixed("session pipe"), Pick(LiveSessions)],
    },
    Action {
        name: "history",
        about: "show who typed what",
        words: &[Fixed("session history"), Pick(Sessions)],
    },
    Action {
        name: "signal",
        about: "send a signal to the program of a session",
        words: &[
            Fixed("session signal"),
            Pick(LiveSessions),
            Choose("signal", SIGNALS),
        ],
    },
    Action {
        name: "close",
        about: "end a session",
        words: &[Fixed("session close"), Pick(LiveSessions)],
    },
    Action {
        name: "clean",
        about: "remove ended sessions",
        words: &[Fixed("session clean")],
    },
];

const RUN: &[Action] = &[
    Action {
        name: "program",
        about: "run a program here",
        words: &[Fixed("run --"), PROGRAM],
    },
    Action {
        name: "with timeout",
        about: "run a program and end it after a number of seconds",
        words: &[
            Fixed("run"),
            Option("--timeout", "seconds, or nothing for no limit"),
            Fixed("--"),
            PROGRAM,
        ],
    },
    Action {
        name: "shell line",
        about: "run a command line of sh, such as one with pipes",
        words: &[
            Fixed("run --shell --"),
            Text("command line, such as ls | wc -l"),
        ],
    },
];

const PROGRAMS: &[Action] = &[
    Action {
        name: "list",
        about: "list saved program configurations",
        words: &[Fixed("program list")],
    },
    Action {
        name: "start",
        about: "start a session from a program configuration",
        words: &[
            Fixed("session create --config"),
            Pick(Programs),
            Option("--set", "NAME=VALUE for a placeholder, or nothing"),
            Option("--name", "a name, or nothing"),
        ],
    },
    Action {
        name: "show",
        about: "show the steps of a program configuration",
        words: &[Fixed("program show"), Pick(Programs)],
    },
    Action {
        name: "save",
        about: "save the dialogue of a session as a program configuration",
        words: &[
            Fixed("program save"),
            Text("name of the program configuration"),
            Fixed("--session"),
            Pick(Sessions),
        ],
    },
    Action {
        name: "delete",
        about: "delete a program configuration",
        words: &[Fixed("program delete"), Pick(Programs)],
    },
];

const CHAINS: &[Action] = &[
    Action {
        name: "list",
        about: "list saved chains",
        words: &[Fixed("chain list")],
    },
    Action {
        name: "run",
        about: "run a saved chain",
        words: &[Fixed("chain run"), Pick(Chains)],
    },
    Action {
        name: "show",
        about: "show the steps of a chain",
        words: &[Fixed("chain show"), Pick(Chains)],
    },
    Action {
        name: "save",
        about: "save commands as a chain",
        words: &[
            Fixed("chain save"),
            Text("name of the chain"),
            Fixed("--"),
            COMMANDS,
        ],
    },
    Action {
        name: "delete",
        about: "delete a chain",
        words: &[Fixed("chain delete"), Pick(Chains)],
    },
    Action {
        name: "parallel",
        about: "run commands in parallel",
        words: &[Fixed("parallel --"), COMMANDS],
    },
    Action {
        name: "watch",
        about: "run a program and report matches in its output",
        words: &[
            Fixed("watch --pattern"),
            Text("regular expression to look for"),
            Fixed("--"),
            PROGRAM,
        ],
    },
];

const TYPES: &[&str] = &["prompt", "error", "help", "data_format", "state"];

const PATTERNS: &[Action] = &[
    Action {
        name: "list",
        about: "list the patterns, built-in and your own",
        words: &[Fixed("pattern list")],
    },
    Action {
        name: "classify",
        about: "classify the text of a file: error, prompt, data, help",
        words: &[Fixed("pattern classify --file"), Text("file")],
    },
    Action {
        name: "set",
        about: "add or replace the patterns of a category",
        words: &[
            Fixed("pattern set"),
            Choose("type of pattern", TYPES),
            Text("category"),
            Fixed("--"),
            Text("regular expression"),
        ],
    },
    Action {
        name: "unset",
        about: "remove your patterns for a category",
        words: &[
            Fixed("pattern unset"),
            Choose("type of pattern", TYPES),
            Text("category"),
        ],
    },
];

const HOOKS: &[Action] = &[
    Action {
        name: "status",
        about: "show whether the hooks are installed, and when they last ran",
        words: &[Fixed("hooks status")],
    },
    Action {
        name: "preview",
        about: "show what install would change in your settings",
        words: &[Fixed("hooks install --dry-run")],
    },
    Action {
        name: "install",
        about: "add the hooks to your settings of Claude Code",
        words: &[Fixed("hooks install")],
    },
    Action {
        name: "uninstall",
        about: "remove the hooks from your settings",
        words: &[Fixed("hooks uninstall")],
    },
];

const STATUS: &[Action] = &[
    Action {
        name: "status",
        about: "show the daemon's state and resource use",
        words: &[Fixed("daemon status")],
    },
    Action {
        name: "jobs",
        about: "list jobs",
        words: &[Fixed("job list")],
    },
    Action {
        name: "log",
        about: "print the last 40 lines of the daemon's log",
        words: &[Fixed("daemon logs -n 40")],
    },
    Action {
        name: "configuration",
        about: "list all configuration keys with their values",
        words: &[Fixed("config list")],
    },
    Action {
        name: "check",
        about: "check the databases and session directories",
        words: &[Fixed("daemon check")],
    },
    Action {
        name: "doctor",
        about: "check the daemon, its files, the system's limits and Claude Code's hooks",
        words: &[Fixed("doctor")],
    },
    Action {
        name: "stop",
        about: "end all sessions and stop the daemon",
        words: &[Fixed("daemon stop")],
    },
];

#[cfg(test)]
#[path = "entries_tests.rs"]
mod tests;
