//! The entries of investigations and tests in the menu.

use super::entries::Action;
use super::entries::ActionPart::{Fixed, Pick};
use super::entries::PROGRAM;
use super::entries::Source::{Investigations, TestReports};

pub(super) const DISCOVER: &[Action] = &[
    Action {
        name: "investigate",
        about: "find out what a program offers, without sending anything dangerous",
        words: &[Fixed("investigate --"), PROGRAM],
    },
    Action {
        name: "probe",
        about: "see in a moment whether a program waits for input, and its prompt",
        words: &[Fixed("probe --"), PROGRAM],
    },
    Action {
        name: "learn",
        about: "show a program in this terminal, and get a report of that",
        words: &[Fixed("learn --"), PROGRAM],
    },
    Action {
        name: "map",
        about: "show the states of a program and the commands between them, from a report",
        words: &[Fixed("map"), Pick(Investigations)],
    },
    Action {
        name: "list",
        about: "list reports",
        words: &[Fixed("investigate list")],
    },
    Action {
        name: "show",
        about: "show a report",
        words: &[Fixed("investigate show"), Pick(Investigations)],
    },
    Action {
        name: "compare",
        about: "show what two reports differ in",
        words: &[
            Fixed("investigate diff"),
            Pick(Investigations),
            Pick(Investigations),
        ],
    },
    Action {
        name: "delete",
        about: "delete a report",
        words: &[Fixed("investigate delete"), Pick(Investigations)],
    },
];

pub(super) const TESTS: &[Action] = &[
    Action {
        name: "test",
        about: "run all tests on a program",
        words: &[Fixed("test --"), PROGRAM],
    },
    Action {
        name: "fuzz",
        about: "look for inputs that break a program",
        words: &[Fixed("fuzz --"), PROGRAM],
    },
    Action {
        name: "list",
        about: "list reports",
        words: &[Fixed("test list")],
    },
    Action {
        name: "show",
        about: "show a report with its findings",
        words: &[Fixed("test show"), Pick(TestReports)],
    },
    Action {
        name: "delete",
        about: "delete a report",
        words: &[Fixed("test delete"), Pick(TestReports)],
    },
];
