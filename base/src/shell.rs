//! Command lines: splits them into words as a shell would, and quotes words.

/// Longest command.
pub const MAX_COMMAND_BYTES: usize = 64 << 10;

/// A command line, split into words.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Words {
    pub words: Vec<String>,
    /// The first thing that only a shell understands and that changes what is run: `&&`, `>`, `A=1 cmd`.
    pub needs_shell: Option<String>,
    /// The first thing that a shell would expand: `$HOME`, `*`.
    pub not_expanded: Option<String>,
}

/// Returns `word` as it is written in a command line: in quotes if a shell would interpret it.
#[must_use]
pub fn quoted(word: &str) -> String {
    quoted_but(word, "-_./=:,+@%")
}

/// Returns a word of a command template in the same way: braces stand for parameters and need no quotes.
#[must_use]
pub fn quoted_template(word: &str) -> String {
    quoted_but(word, "-_./=:,+@%{}")
}

fn quoted_but(word: &str, plain: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || plain.contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Returns words as a command line.
pub fn line<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| quoted(word)).collect();
    quoted.join(" ")
}

/// Splits at blanks; quotes and backslashes work as in a POSIX shell. Nothing is expanded.
/// The error is a message fragment.
pub fn split(line: &str) -> Result<Words, String> {
    if line.len() > MAX_COMMAND_BYTES {
        return Err(format!(
            "the command has more than {MAX_COMMAND_BYTES} bytes"
        ));
    }
    if line.contains('\0') {
        return Err("the command contains a NUL byte".into());
    }
    let mut splitter = Splitter::default();
    let mut rest = line.trim().char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match splitter.quote {
            Some((_, '\'')) => splitter.single_quoted(c),
            Some(_) => splitter.double_quoted(
                c,
                rest.next_if(|next| "\"\\$`\n".contains(next.1) && c == '\\'),
            ),
            None if c == '\\' => match rest.next() {
                Some((_, '\n')) => {}
                Some((_, escaped)) => splitter.push(escaped),
                None => return Err("the command ends in a backslash".into()),
            },
            None => splitter.plain(at, c, rest.peek().map(|next| next.1)),
        }
    }
    if let Some((at, quote)) = splitter.quote {
        return Err(format!(
            "the {quote} at byte {at} of the command is not closed"
        ));
    }
    splitter.end_word();
    if splitter.found.words.is_empty() {
        return Err("the command is empty".into());
    }
    Ok(splitter.found)
}

#[derive(Default)]
struct Splitter {
    found: Words,
    /// `Some` inside a word, even if it is empty so far.
    word: Option<String>,
    /// The open quote and its position.
    quote: Option<(usize, char)>,
    /// Something in this word was quoted.
    is_quoted: bool,
}

impl Splitter {
    fn push(&mut self, c: char) {
        self.is_quoted = true;
        self.word.get_or_insert_default().push(c);
    }

    fn single_quoted(&mut self, c: char) {
        match c {
            '\'' => self.quote = None,
            c => self.push(c),
        }
    }

    fn double_quoted(&mut self, c: char, escaped: Option<(usize, char)>) {
        match (c, escaped) {
            (_, Some((_, '\n'))) => {}
            (_, Some((_, escaped))) => self.push(escaped),
            ('"', _) => self.quote = None,
            (c, _) => {
                if c == '$' || c == '`' {
                    self.not_expanded(c);
                }
                self.push(c);
            }
        }
    }

    fn plain(&mut self, at: usize, c: char, next: Option<char>) {
        match c {
            '\'' | '"' => {
                self.quote = Some((at, c));
                self.is_quoted = true;
                self.word.get_or_insert_default();
            }
            '\n' => {
                self.needs_shell("a line break");
                self.end_word();
            }
            c if c.is_ascii_whitespace() => self.end_word(),
            c => {
                if "|&;<>()".contains(c) {
                    let is_double = "|&;<>".contains(c) && next == Some(c);
                    let operator: String =
                        std::iter::repeat_n(c, 1 + usize::from(is_double)).collect();
                    self.needs_shell(&operator);
                }
                if "$`*?[".contains(c) || (c == '~' && self.word.is_none()) {
                    self.not_expanded(c);
                }
                let is_assignment = c == '=' && self.found.words.is_empty() && !self.is_quoted;
                if is_assignment && self.word.as_deref().is_some_and(is_name) {
                    self.needs_shell("a variable before the command");
                }
                self.word.get_or_insert_default().push(c);
            }
        }
    }

    fn end_word(&mut self) {
        self.found.words.extend(self.word.take());
        self.is_quoted = false;
    }

    fn needs_shell(&mut self, what: &str) {
        self.found
            .needs_shell
            .get_or_insert_with(|| what.to_owned());
    }

    fn not_expanded(&mut self, c: char) {
        self.found.not_expanded.get_or_insert_with(|| c.to_string());
    }
}

/// Whether it is a valid name of a shell variable.
fn is_name(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.chars().all(is_word) && !text.starts_with(|c: char| c.is_ascii_digit()) && !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_quoted_where_a_shell_interprets_them() {
        let words = ["a-b", "", "c d", "it's", "$x", "{a,b}"].map(str::to_owned);
        assert_eq!(line(&words), r"a-b '' 'c d' 'it'\''s' '$x' '{a,b}'");
    }

    proptest! {
        #[test]
        fn a_line_is_split_into_the_words_it_was_made_of(words in proptest::collection::vec("[^\u{0}]*", 1..5)) {
            prop_assert_eq!(split(&line(&words)).unwrap().words, words);
        }
    }

    fn words(line: &str) -> Vec<String> {
        split(line).unwrap().words
    }

    #[test]
    fn words_are_those_of_a_shell() {
        for (line, wanted) in [
            ("echo  a b ", &["echo", "a", "b"][..]),
            (
                "echo 'a  b' \"c 'd'\" e\\ f",
                &["echo", "a  b", "c 'd'", "e f"],
            ),
            ("x '' \"\" a''b", &["x", "", "", "ab"]),
            (r#"x "a\"b\\c\d" 'e\f'"#, &["x", r#"a"b\c\d"#, r"e\f"]),
            ("x a\\\nb \"c\\\nd\"", &["x", "ab", "cd"]),
            ("\tgrep -e 'a|b' f\n", &["grep", "-e", "a|b", "f"]),
            ("é \"世界\"", &["é", "世界"]),
        ] {
            assert_eq!(words(line), wanted, "{line}");
        }
    }

    #[test]
    fn what_cannot_be_split_says_why() {
        for (line, why) in [
            ("", "empty"),
            ("  \n", "empty"),
            ("echo 'a", "the ' at byte 5"),
            ("echo a \"b", "the \" at byte 7"),
            ("echo a\\", "backslash"),
            ("a\0b", "NUL"),
        ] {
            let error = split(line).unwrap_err();
            assert!(error.contains(why), "{line:?}: {error}");
        }
        assert!(split(&"x".repeat(MAX_COMMAND_BYTES + 1)).is_err());
    }

    #[test]
    fn what_is_meant_for_a_shell_is_seen() {
        let needs = |line: &str| split(line).unwrap().needs_shell;
        for (line, what) in [
            ("make && ls", "&&"),
            ("a | b", "|"),
            ("a; b", ";"),
            ("a >f", ">"),
            ("a >>f", ">>"),
            ("curl http://h/?a=1&b=2", "&"),
            ("a\nb", "a line break"),
            ("A=1 make", "a variable before the command"),
            ("(a)", "("),
        ] {
            assert_eq!(needs(line).as_deref(), Some(what), "{line}");
        }
        for line in [
            "echo 'a && b'",
            "echo a\\;b",
            "make A=1",
            "\"A\"=1",
            "env A=1 b",
            "echo a=b",
        ] {
            assert_eq!(needs(line), None, "{line}");
        }
        let expands = |line: &str| split(line).unwrap().not_expanded;
        for (line, what) in [
            ("echo $A", "$"),
            ("ls *.c", "*"),
            ("cd ~/a", "~"),
            ("echo \"$A\"", "$"),
            ("a `b`", "`"),
        ] {
            assert_eq!(expands(line).as_deref(), Some(what), "{line}");
        }
        for line in ["echo '$A'", "echo \\$A", "echo a~b", "echo \"\\$A\" '*'"] {
            assert_eq!(expands(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_words_in_single_quotes_come_back(list in prop::collection::vec("[^\0]{0,12}", 1..6)) {
            let quoted: Vec<String> = list.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
            prop_assert_eq!(words(&quoted.join(" ")), list);
        }

        #[test]
        fn no_line_panics(line in ".*") {
            let _ = split(&line);
        }
    }
}
