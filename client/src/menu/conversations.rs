//! The entry of Claude Code's conversations in the menu.

use super::entries::Action;
use super::entries::ActionPart::{Choose, Fixed, Option, Pick, Text};
use super::entries::Source::Transcripts;

const GROUPS: &[&str] = &["day", "project", "branch", "session", "model", "tool"];

pub(super) const CONVERSATIONS: &[Action] = &[
    Action {
        name: "list",
        about: "list conversations, most recent first",
        words: &[Fixed("conversation list")],
    },
    Action {
        name: "search",
        about: "find what was said in all conversations",
        words: &[Fixed("conversation search --"), Text("words")],
    },
    Action {
        name: "show",
        about: "show a conversation",
        words: &[Fixed("conversation show"), Pick(Transcripts)],
    },
    Action {
        name: "open",
        about: "open a conversation in a browser",
        words: &[Fixed("conversation open"), Pick(Transcripts)],
    },
    Action {
        name: "export",
        about: "write a conversation to a Markdown file",
        words: &[
            Fixed("conversation export"),
            Pick(Transcripts),
            Fixed("--markdown"),
            Text("file"),
        ],
    },
    Action {
        name: "stats",
        about: "total tokens and cost",
        words: &[
            Fixed("conversation stats --by"),
            Choose("group", GROUPS),
            Option("--since", "a date such as 2026-01-31, or nothing for all"),
        ],
    },
];
