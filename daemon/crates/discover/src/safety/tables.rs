//! What is dangerous, by name: `tables.json`.

use super::rule::Rule;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::LazyLock;

pub(super) type Words = BTreeSet<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tables {
    pub(super) programs: Vec<ProgramRule>,
    /// Files that must not be written to, besides devices.
    pub(super) files: Vec<FileRule>,
    /// Calls that delete. What follows a name must not continue it.
    pub(super) deleting_calls: Words,
    /// Methods that empty a database, with what follows the name.
    pub(super) emptying_calls: Words,
    /// What interactive programs call a shell with.
    pub(super) escapes_to_shell: Words,
    /// Programs and commands of tmux that execute what is in their arguments or their input.
    pub(super) executing_programs: Words,
    /// First words of a line that asks for an explanation.
    pub(super) questions: Words,
    /// What a statement of SQL can drop.
    pub(super) dropped_objects: Words,
    pub(super) name: NameWords,
    pub(super) description: DescriptionWords,
}

/// Programs that are dangerous if all conditions hold that are given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramRule {
    pub(super) rule: Rule,
    pub(super) programs: Words,
    #[serde(default)]
    pub(super) least_arguments: usize,
    /// A sub-command of one or two words.
    #[serde(default)]
    pub(super) commands: Vec<String>,
    /// An option; a single letter also counts among others: `-Rns`.
    #[serde(default)]
    pub(super) options: Words,
    /// An argument of each list. Only options are compared with their case.
    #[serde(default)]
    pub(super) words: Vec<Words>,
    /// The start of an argument.
    #[serde(default)]
    pub(super) prefixes: Words,
    #[serde(default)]
    pub(super) unless_options: Words,
    #[serde(default)]
    pub(super) unless_words: Words,
}

/// Files by their paths, and by how these start and end.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileRule {
    pub(super) rule: Rule,
    pub(super) files: Words,
    #[serde(default)]
    pub(super) starts: Words,
    #[serde(default)]
    pub(super) ends: Words,
}

/// Words of the name of a command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NameWords {
    /// What destroys.
    pub(super) verbs: Words,
    /// What destroys only some things, and these.
    pub(super) uncertain_verbs: Words,
    pub(super) objects: Words,
    /// First words of commands that only show something, or change a setting.
    pub(super) showing: Words,
}

/// Words of the description of a command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DescriptionWords {
    /// What destroys. Participles are left out: `show deleted files` only shows.
    pub(super) verbs: Words,
    /// The same, if the description starts with it.
    pub(super) first_verbs: Words,
    pub(super) uncertain_verbs: Vec<UncertainVerbs>,
    /// What is destroyed when it is formatted; a text is not.
    pub(super) formatted: Words,
    /// What reverses the meaning of a verb soon after it.
    pub(super) negations: Words,
}

/// What destroys only some things: which, soon after it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UncertainVerbs {
    pub(super) verbs: Words,
    pub(super) objects: Words,
}

pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    serde_json::from_str(include_str!("tables.json")).expect("tests read the same text")
});
