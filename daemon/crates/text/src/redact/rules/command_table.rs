//! The commands that take a password as an argument, and how: `commands.json`.

use serde::Deserialize;
use std::sync::LazyLock;

/// How a password follows an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Form {
    /// `-u user:password`, with this separator.
    After(char),
    /// `-ppassword`; the next word is something else.
    Attached,
    /// `-k password`
    Apart,
    /// `-ppassword` and `-p password`.
    Either,
    /// `add_user name password`: the argument with this index after the word.
    Nth(usize),
    /// `login TOKEN`, but not `login role=…`.
    Token,
    /// `-b file name password`: the last argument, if one of the flags is `b`.
    LastOfBatch,
    /// `name/password@host`
    Login,
    /// `//host/share password`, `\\host\share password`
    AfterShare,
}

/// The names of commands, each with the blank after it, and their options. An empty option stands for the arguments.
pub(super) static COMMANDS: LazyLock<Vec<(Vec<String>, Vec<(String, Form)>)>> =
    LazyLock::new(|| {
        serde_json::from_str(include_str!("commands.json")).expect("tests read the same text")
    });

/// The names of all commands.
pub(super) static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    COMMANDS
        .iter()
        .flat_map(|(names, _)| names)
        .map(String::as_str)
        .collect()
});
