//! Commands whose own help says that they destroy something.

use super::tables::{TABLES, Words};

/// How many words after a negation are reversed, and how many after a verb may be its object.
const REACH: usize = 3;

/// Returns whether a description says that the command deletes, resets, wipes or overwrites.
pub(super) fn destroys(description: &str) -> bool {
    let table = &TABLES.description;
    let text = description.to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && !"'-_".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let is_negated = |at: usize| {
        words[at.saturating_sub(REACH)..at]
            .iter()
            .any(|word| table.negations.contains(*word))
    };
    let has_object = |at: usize, objects: &Words| {
        let mut near = words[at + 1..].iter().take(REACH);
        near.any(|word| objects.contains(*word))
    };
    let says = |(at, word): (usize, &&str)| {
        let mut uncertain = table.uncertain_verbs.iter();
        let is_verb = table.verbs.contains(*word)
            || uncertain.any(|some| some.verbs.contains(*word) && has_object(at, &some.objects));
        is_verb && !is_negated(at)
    };
    let starts = match words[..] {
        ["empty", "the" | "a" | "all" | "your", ..] => true,
        ["format" | "formats", ..] => {
            text.contains("file system") || words.iter().any(|word| table.formatted.contains(*word))
        }
        [first, ..] => table.first_verbs.contains(first),
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
