//! Commands whose name says that they destroy something.

/// What destroys, as a whole word of a name.
const VERBS: [&str; 18] = [
    "delete",
    "del",
    "rm",
    "rmdir",
    "rd",
    "remove",
    "drop",
    "truncate",
    "destroy",
    "erase",
    "nuke",
    "purge",
    "prune",
    "wipe",
    "overwrite",
    "uninstall",
    "unlink",
    "reset",
];

/// Verbs that destroy only some things, and these.
const UNCERTAIN: [&str; 2] = ["flush", "clear"];
const OBJECTS: [&str; 9] = [
    "all",
    "db",
    "database",
    "data",
    "cache",
    "table",
    "tables",
    "history",
    "everything",
];

/// First words of names of commands that only show something, or change a setting.
const SHOWING: [&str; 7] = ["show", "info", "list", "get", "help", "describe", "set"];

/// Returns whether the name of a command says that it destroys: `delete_user`, `dropTable`, `FLUSHALL`.
pub(super) fn destroys(name: &str) -> bool {
    let words = words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        // With more words, they are about texts and output.
        ["format" | "flush"] => true,
        [first, ..] if SHOWING.contains(&first) => false,
        _ => {
            let is_pair =
                |pair: &[&str]| UNCERTAIN.contains(&pair[0]) && OBJECTS.contains(&pair[1]);
            words.iter().any(|word| is_verb(word)) || words.windows(2).any(is_pair)
        }
    }
}

/// Returns whether a word is a verb, or one with its object: `flushall`, `dropdb`.
fn is_verb(word: &str) -> bool {
    let mut verbs = ["all", "db"]
        .iter()
        .filter_map(|end| word.strip_suffix(end));
    VERBS.contains(&word) || verbs.any(|verb| VERBS.contains(&verb) || UNCERTAIN.contains(&verb))
}

/// Splits a name at signs, and where a capital letter starts a word, and returns its words in lower case.
fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, character) in characters.iter().enumerate() {
        let is_lower = |at: usize| characters.get(at).is_some_and(|c| c.is_lowercase());
        let after_lower = at.checked_sub(1).is_some_and(is_lower);
        let is_start = character.is_uppercase() && (after_lower || is_lower(at + 1));
        if is_start || !character.is_alphanumeric() {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_of_a_name_count() {
        let names = "delete delete_user delete-all remove-all drop drop_table TRUNCATE destroy erase nuke purge prune \
            flush format overwrite factory-reset reset uninstall clear-all rm del rd db.drop dropTable DROPTable \
            hardReset FLUSHALL flushdb clear-history clearCache do_nuke .rm \\unlink";
        for name in names.split_whitespace() {
            assert!(destroys(name), "{name}");
        }
        let names = "information format_string format-patch .dump undelete dropdown preset clear cls flush_output \
            list-deleted show_reset get-reset-time card harm recall install confirm removed status";
        for name in names.split_whitespace() {
            assert!(!destroys(name), "{name}");
        }
    }
}
