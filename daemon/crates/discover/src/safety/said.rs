//! Commands whose own help says that they destroy something.

/// What destroys, as a help text says it. Participles are left out: `show deleted files` only shows.
const VERBS: [&str; 27] = [
    "delete",
    "deletes",
    "deleting",
    "reset",
    "resets",
    "resetting",
    "wipe",
    "wipes",
    "wiping",
    "overwrite",
    "overwrites",
    "overwriting",
    "erase",
    "erases",
    "erasing",
    "destroy",
    "destroys",
    "purge",
    "purges",
    "truncate",
    "truncates",
    "uninstall",
    "uninstalls",
    "discard",
    "discards",
    "drop",
    "empties",
];

/// The same, if the description starts with it.
const FIRST_VERBS: [&str; 3] = ["remove", "removes", "drops"];

/// Verbs that destroy only some things: which, soon after them.
const WITH_OBJECTS: [(&[&str], &[&str]); 2] = [
    (
        &["clear", "clears", "clearing"],
        &[
            "data",
            "database",
            "databases",
            "db",
            "cache",
            "caches",
            "table",
            "tables",
            "record",
            "records",
            "file",
            "files",
            "history",
            "storage",
            "everything",
            "log",
            "logs",
        ],
    ),
    (
        &["change", "changes", "set", "sets", "update", "updates"],
        &["password", "passwords", "passphrase", "credentials"],
    ),
];

/// What is destroyed when it is formatted; a text is not.
const FORMATTED: [&str; 12] = [
    "disk",
    "disks",
    "drive",
    "drives",
    "partition",
    "partitions",
    "volume",
    "volumes",
    "filesystem",
    "filesystems",
    "device",
    "card",
];

/// What reverses the meaning of a verb soon after it.
const NEGATIONS: [&str; 7] = [
    "not", "never", "no", "without", "don't", "doesn't", "cannot",
];

/// How many words after a negation are reversed, and how many after a verb may be its object.
const REACH: usize = 3;

/// Returns whether a description says that the command deletes, resets, wipes or overwrites.
pub(super) fn destroys(description: &str) -> bool {
    let text = description.to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && !"'-_".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let is_negated = |at: usize| {
        words[at.saturating_sub(REACH)..at]
            .iter()
            .any(|word| NEGATIONS.contains(word))
    };
    let has_object = |at: usize, objects: &[&str]| {
        words[at + 1..]
            .iter()
            .take(REACH)
            .any(|word| objects.contains(word))
    };
    let says = |(at, word): (usize, &&str)| {
        let is_verb = VERBS.contains(word)
            || WITH_OBJECTS
                .iter()
                .any(|(verbs, objects)| verbs.contains(word) && has_object(at, objects));
        is_verb && !is_negated(at)
    };
    let starts = match words[..] {
        ["empty", "the" | "a" | "all" | "your", ..] => true,
        ["format" | "formats", ..] => {
            text.contains("file system") || words.iter().any(|word| FORMATTED.contains(word))
        }
        [first, ..] => FIRST_VERBS.contains(&first),
        [] => false,
    };
    starts || words.iter().enumerate().any(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_command_does_counts() {
        for text in [
            "Delete resources by file names",
            "Reset current HEAD to the specified state",
            "reset (clear) the query buffer",
            "List, create, or delete branches",
            "Wipes all data!",
            "Write it, overwriting FILE",
            "Remove files from the working tree",
            "Empties the database",
            "Empty the trash",
            "Clears all data",
            "Clear the query cache",
            "Change the password",
            "securely change the password for a user",
            "Format a disk",
            "Formats the given file system",
        ] {
            assert!(destroys(text), "{text}");
        }
        for text in [
            "",
            "Show deleted files",
            "Display information",
            "Write to FILE, but do not overwrite it",
            "never deletes anything",
            "Add a remote and remove-prefix lines",
            "Show the format_string",
            "print the preset",
            "Format a string",
            "Set the format of dates",
            "Clear the screen",
            "Change the prompt",
            "Empty lines are skipped",
        ] {
            assert!(!destroys(text), "{text}");
        }
    }
}
