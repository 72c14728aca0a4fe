//! What the menu offers for tapes.

use super::entries::Part::{Option, Pick, Text, Word};
use super::entries::Source::Tapes;
use super::entries::{Action, PROGRAM};

pub(super) const TAPES: &[Action] = &[
    Action {
        name: "list",
        about: "what was recorded, and what was played",
        words: &[Word("tape"), Word("list")],
    },
    Action {
        name: "record",
        about: "run a program here and record it",
        words: &[Word("rec"), Word("--"), PROGRAM],
    },
    Action {
        name: "play",
        about: "let tapes stand in for a program",
        words: &[Word("play"), Word("--"), PROGRAM],
    },
    Action {
        name: "proxy",
        about: "likewise, and the program itself where they have no answer",
        words: &[Word("proxy"), Word("--"), PROGRAM],
    },
    Action {
        name: "watch",
        about: "watch one in this terminal",
        words: &[Word("tape"), Word("play"), Pick(Tapes)],
    },
    Action {
        name: "show",
        about: "show what was typed and what came back",
        words: &[Word("tape"), Word("show"), Pick(Tapes)],
    },
    Action {
        name: "verify",
        about: "ask the real program whether it still answers so",
        words: &[Word("tape"), Word("verify"), Pick(Tapes)],
    },
    Action {
        name: "check",
        about: "what is wrong in them",
        words: &[Word("tape"), Word("validate")],
    },
    Action {
        name: "secrets",
        about: "which have secrets in them",
        words: &[Word("tape"), Word("redact")],
    },
    Action {
        name: "shim",
        about: "a program for PATH that answers from tapes",
        words: &[
            Word("tape"),
            Word("shim"),
            Option("--to", "the folder for it, or nothing for this one"),
            Text("the name of the program"),
        ],
    },
];
