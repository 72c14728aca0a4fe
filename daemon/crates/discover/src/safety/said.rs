//! Commands whose own help says that they destroy something.

/// What destroys, as a help text says it. Participles are left out: `show deleted files` only shows.
const VERBS: [&str; 26] = [
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
];

/// The same, if the description starts with it.
const FIRST_VERBS: [&str; 4] = ["remove", "removes", "drops", "format"];

/// What reverses the meaning of a verb soon after it.
const NEGATIONS: [&str; 7] = [
    "not", "never", "no", "without", "don't", "doesn't", "cannot",
];

/// How many words after a negation are reversed.
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
    let says = |(at, word): (usize, &&str)| VERBS.contains(word) && !is_negated(at);
    words.first().is_some_and(|word| FIRST_VERBS.contains(word))
        || words.iter().enumerate().any(says)
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
        ] {
            assert!(!destroys(text), "{text}");
        }
    }
}
