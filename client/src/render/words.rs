//! Words as they would be typed in a shell.

/// Returns the words in one line, in quotes where a shell would act on them.
pub(crate) fn shell_line<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| quoted(word)).collect();
    quoted.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_need_quotes_get_them() {
        let words = ["a-b", "", "c d", "it's", "$x"].map(str::to_owned);
        assert_eq!(shell_line(&words), r"a-b '' 'c d' 'it'\''s' '$x'");
    }
}
