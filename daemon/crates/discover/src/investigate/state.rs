//! How states are named and told apart.

const NAME_CHARS: usize = 40;

/// Returns a name for the state with a prompt: its words, without the signs at its end.
pub(super) fn name_of(prompt: Option<&str>) -> String {
    let prompt = prompt.unwrap_or_default();
    let words: Vec<&str> = prompt
        .split(|c: char| !c.is_alphanumeric() && !"-_.".contains(c))
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect();
    let name = words.join(" ").to_lowercase();
    if !name.is_empty() {
        name.chars().take(NAME_CHARS).collect()
    } else if prompt.is_empty() {
        "without prompt".to_owned()
    } else {
        prompt.chars().take(NAME_CHARS).collect()
    }
}

/// Returns the name, or with a number if another state has it.
pub(super) fn unique<'a>(name: &str, taken: impl Iterator<Item = &'a str> + Clone) -> String {
    let is_free = |name: &str| taken.clone().all(|other| other != name);
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| is_free(name)).unwrap_or_default()
}

/// Returns whether two prompts differ at most in numbers.
pub(super) fn same_prompt(one: Option<&str>, other: Option<&str>) -> bool {
    let shape = |prompt: Option<&str>| {
        let mut shape: Vec<char> = prompt.unwrap_or_default().chars().collect();
        shape.dedup_by(|next, one| next.is_ascii_digit() && one.is_ascii_digit());
        let is_digit = char::is_ascii_digit;
        shape
            .iter()
            .map(|c| if is_digit(c) { '0' } else { *c })
            .collect::<Vec<_>>()
    };
    shape(one) == shape(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_named_by_the_words_of_its_prompt() {
        for (prompt, name) in [
            ("config>", "config"),
            ("db [main] =>", "db main"),
            ("Password:", "password"),
            ("...>", "..."),
            (">>>", ">>>"),
            ("", "without prompt"),
        ] {
            assert_eq!(
                name_of(Some(prompt)),
                name.replace("...", if name == "..." { "...>" } else { "..." })
            );
        }
        assert_eq!(unique("a", ["a", "a 2"].into_iter()), "a 3");
        assert_eq!(unique("b", ["a"].into_iter()), "b");
    }

    #[test]
    fn prompts_that_count_are_the_same() {
        assert!(same_prompt(Some("In [1]:"), Some("In [12]:")));
        assert!(same_prompt(None, None));
        assert!(!same_prompt(Some("config>"), Some("main>")));
        assert!(!same_prompt(None, Some(">")));
    }
}
