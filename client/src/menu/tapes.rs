//! The actions of the menu for tapes.

use super::entries::Part::{Option, Pick, Text, Word};
use super::entries::Source::Tapes;
use super::entries::{Action, PROGRAM};

pub(super) const TAPES: &[Action] = &[
    Action {
        name: "list",
        about: "list tapes, and whether they were played",
        words: &[Word("tape"), Word("list")],
    },
    Action {
        name: "record",
        about: "run a program here and record it",
        words: &[Word("rec"), Word("--"), PROGRAM],
    },
    Action {
        name: "play",
        about: "replay a program from its tapes",
        words: &[Word("play"), Word("--"), PROGRAM],
    },
    Action {
        name: "proxy",
        about: "replay a program, and run the real one for inputs on no tape",
        words: &[Word("proxy"), Word("--"), PROGRAM],
    },
    Action {
        name: "watch",
        about: "play back a tape in this terminal",
        words: &[Word("tape"), Word("play"), Pick(Tapes)],
    },
    Action {
        name: "show",
        about: "show the inputs and outputs of a tape",
        words: &[Word("tape"), Word("show"), Pick(Tapes)],
    },
    Action {
        name: "verify",
        about: "check that the real program still answers as on a tape",
        words: &[Word("tape"), Word("verify"), Pick(Tapes)],
    },
    Action {
        name: "check",
        about: "report problems in tapes",
        words: &[Word("tape"), Word("validate")],
    },
    Action {
        name: "secrets",
        about: "find secrets in tapes",
        words: &[Word("tape"), Word("redact")],
    },
    Action {
        name: "shim",
        about: "write a shim for PATH that answers from tapes",
        words: &[
            Word("tape"),
            Word("shim"),
            Option("--to", "directory for the shim, or nothing for this one"),
            Text("name of the program"),
        ],
    },
];
