//! The coach's entry in the menu.

use super::entries::Action;
use super::entries::ActionPart::{Fixed, Option, Text};

pub(super) const COACH: &[Action] = &[
    Action {
        name: "review",
        about: "decide on the candidates that wait, one by one",
        words: &[Fixed("coach review")],
    },
    Action {
        name: "status",
        about: "show what was recorded, and problems",
        words: &[Fixed("coach status")],
    },
    Action {
        name: "report",
        about: "show what each approved rule has changed",
        words: &[
            Fixed("coach report"),
            Option("--since", "a time such as 30d, or nothing for 12 weeks"),
        ],
    },
    Action {
        name: "events",
        about: "list recorded events",
        words: &[
            Fixed("coach events"),
            Option("--since", "a time such as 7d, or nothing for all"),
        ],
    },
    Action {
        name: "search",
        about: "find candidates and rules of every status",
        words: &[Fixed("coach ledger --"), Text("text in them")],
    },
];
