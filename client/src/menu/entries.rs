//! The content of the menu, which `menu.json` has: each action is a command, with the values that it needs.

use crate::names::NameKind;
use serde::Deserialize;
use std::sync::LazyLock;

pub(super) static ENTRIES: LazyLock<Vec<Entry>> =
    LazyLock::new(|| serde_json::from_str(include_str!("menu.json")).expect("a test reads it"));

#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) actions: Vec<Action>,
}

/// An action: its command, word by word.
#[derive(Debug, Deserialize)]
pub(super) struct Action {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) words: Vec<ActionPart>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ActionPart {
    /// Words, with a space between them.
    Fixed(String),
    /// An item of a list from the daemon.
    Pick(NameKind),
    /// One of these words, after a text that says what it is.
    Choose(String, Vec<String>),
    /// A typed text, as one word.
    Text(String),
    /// Typed words as in a shell, at least one: what they are, and an example.
    Words(String, String),
    /// An option with a typed value; left out if nothing is typed.
    Option(String, String),
}

#[cfg(test)]
#[path = "entries_tests.rs"]
mod tests;
