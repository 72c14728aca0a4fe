//! Commands whose name says that they destroy something.

use super::tables::TABLES;

/// Returns whether the name of a command says that it destroys: `delete_user`, `dropTable`, `FLUSHALL`.
pub(super) fn destroys(name: &str) -> bool {
    let words = words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        // With more words, they are about texts and output.
        ["format" | "flush"] => true,
        [first, ..] if TABLES.name.showing.contains(first) => false,
        _ => {
            let (verbs, objects) = (&TABLES.name.uncertain_verbs, &TABLES.name.objects);
            let is_pair = |pair: &[&str]| verbs.contains(pair[0]) && objects.contains(pair[1]);
            words.iter().any(|word| is_verb(word)) || words.windows(2).any(is_pair)
        }
    }
}

/// Returns whether a word is a verb, or one with its object: `flushall`, `dropdb`.
fn is_verb(word: &str) -> bool {
    let (verbs, uncertain) = (&TABLES.name.verbs, &TABLES.name.uncertain_verbs);
    let mut ends = ["all", "db"].iter();
    let is_with_object = |end: &&str| {
        let verb = word.strip_suffix(*end);
        verb.is_some_and(|verb| verbs.contains(verb) || uncertain.contains(verb))
    };
    verbs.contains(word) || ends.any(is_with_object)
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
