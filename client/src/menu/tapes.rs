//! The entry of tapes in the menu.

use super::entries::Action;
use super::entries::ActionPart::{Fixed, Option, Pick, Text};
use super::entries::PROGRAM;
use super::entries::Source::Tapes;

pub(super) const TAPES: &[Action] = &[
    Action {
        name: "list",
        about: "list tapes, and whether they were played",
        words: &[Fixed("tape list")],
    },
    Action {
        name: "record",
        about: "run a program here and record it",
        words: &[Fixed("rec --"), PROGRAM],
    },
    Action {
        name: "play",
        about: "replay a program from its tapes",
        words: &[Fixed("play --"), PROGRAM],
    },
    Action {
        name: "proxy",
        about: "replay a program, and run the real one for inputs on no tape",
        words: &[Fixed("proxy --"), PROGRAM],
    },
    Action {
        name: "watch",
        about: "play back a tape in this terminal",
        words: &[Fixed("tape play"), Pick(Tapes)],
    },
    Action {
        name: "show",
        about: "show the inputs and outputs of a tape",
        words: &[Fixed("tape show"), Pick(Tapes)],
    },
    Action {
        name: "verify",
        about: "check that the real program still answers as on a tape",
        words: &[Fixed("tape verify"), Pick(Tapes)],
    },
    Action {
        name: "check",
        about: "report problems in tapes",
        words: &[Fixed("tape validate")],
    },
    Action {
        name: "secrets",
        about: "find secrets in tapes",
        words: &[Fixed("tape redact")],
    },
    Action {
        name: "shim",
        about: "write a shim for PATH that answers from tapes",
        words: &[
            Fixed("tape shim"),
            Option("--to", "directory for the shim, or nothing for this one"),
            Text("name of the program"),
        ],
    },
];
