//! Words as typed in a shell.

/// Returns the words in one line, quoted where a shell would interpret them.
pub(crate) fn shell_line<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| quoted(word)).collect();
    quoted.join(" ")
}

/// Returns the command line of a program.
pub(crate) fn program_line(program: &String, args: &[String]) -> String {
    shell_line(std::iter::once(program).chain(args))
}

pub(crate) fn yes_or_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

/// Splits a line into words as a shell would: at spaces, except in quotes or after a backslash. Nothing is expanded.
/// The error is the mistake, as a sentence.
pub(crate) fn shell_words(line: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => {
                let next = chars.next().ok_or("nothing follows the last backslash")?;
                // In quotes, a backslash is literal unless the next character is special.
                let is_plain = quote.is_some() && !['"', '\\', '$', '`'].contains(&next);
                let word = word.get_or_insert_default();
                word.extend(is_plain.then_some('\\').into_iter().chain([next]));
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed");
    }
    words.extend(word);
    Ok(words)
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
    use proptest::prelude::*;

    #[test]
    fn a_line_is_split_as_a_shell_does() {
        let split = |line| shell_words(line).map(|words| words.join("|"));
        assert_eq!(
            split("  a  'b c' d\\ e\"f\\\"g\" ").unwrap(),
            "a|b c|d ef\"g"
        );
        assert_eq!(split(r#"x '' "a\b" $HOME;"#).unwrap(), r"x||a\b|$HOME;");
        assert!(shell_words("it's").is_err());
        assert!(shell_words("a\\").is_err());
        assert!(shell_words("").unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn what_is_quoted_is_split_again(words in prop::collection::vec(".{0,8}", 0..5)) {
            prop_assert_eq!(shell_words(&shell_line(&words)).unwrap(), words);
        }
    }

    #[test]
    fn only_words_that_need_quotes_get_them() {
        let words = ["a-b", "", "c d", "it's", "$x"].map(str::to_owned);
        assert_eq!(shell_line(&words), r"a-b '' 'c d' 'it'\''s' '$x'");
    }
}
