//! The executor's entry in the menu.

use super::entries::Action;
use super::entries::ActionPart::{Choose, Fixed, Option, Pick, Text};
use super::entries::Source::{Conversations, Executions};

const DIRTY: &[&str] = &["block", "stash", "allow"];

pub(super) const EXEC: &[Action] = &[
    Action {
        name: "run",
        about: "run Claude Code on an instruction in this directory",
        words: &[
            Fixed("exec"),
            Option("--model", "a model, or nothing for the default"),
            Fixed("--dirty-worktree"),
            Choose("uncommitted changes", DIRTY),
            Fixed("--"),
            Text("instruction"),
        ],
    },
    Action {
        name: "resume",
        about: "give another instruction in a conversation",
        words: &[
            Fixed("exec --resume"),
            Pick(Conversations),
            Fixed("--dirty-worktree"),
            Choose("uncommitted changes", DIRTY),
            Fixed("--"),
            Text("instruction"),
        ],
    },
    Action {
        name: "list",
        about: "list runs",
        words: &[Fixed("exec list")],
    },
    Action {
        name: "show",
        about: "show a run: verdict, changes and answer",
        words: &[Fixed("exec show"), Pick(Executions)],
    },
    Action {
        name: "diff",
        about: "show what a run changed",
        words: &[Fixed("exec get --diff"), Pick(Executions)],
    },
    Action {
        name: "cancel",
        about: "ask a run to stop",
        words: &[Fixed("exec cancel"), Pick(Executions)],
    },
    Action {
        name: "conversations",
        about: "list conversations",
        words: &[Fixed("exec sessions")],
    },
    Action {
        name: "conversation",
        about: "show the instructions and answers of a conversation",
        words: &[Fixed("exec session"), Pick(Conversations)],
    },
    Action {
        name: "clean",
        about: "remove old conversations and runs",
        words: &[Fixed("exec clean")],
    },
];
