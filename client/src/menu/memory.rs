//! The entry of session memory in the menu.

use super::entries::Action;
use super::entries::ActionPart::Fixed;

pub(super) const MEMORY: &[Action] = &[
    Action {
        name: "save",
        about: "save the state of this project",
        words: &[Fixed("memory save")],
    },
    Action {
        name: "show",
        about: "show the memory of this project",
        words: &[Fixed("memory show")],
    },
    Action {
        name: "status",
        about: "show what changed since the last save",
        words: &[Fixed("memory status")],
    },
    Action {
        name: "load",
        about: "print the digest that a new session gets",
        words: &[Fixed("memory load")],
    },
    Action {
        name: "link",
        about: "make CLAUDE.md import the memory",
        words: &[Fixed("memory link")],
    },
];
