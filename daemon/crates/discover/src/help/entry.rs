//! Entries of a list: a term and its description.

use super::page::{cells, split_at_gap, without_sign};

/// Maximum length of a description and of a name, in characters.
const MAX_DESCRIPTION_CHARS: usize = 500;
const MAX_NAME_CHARS: usize = 60;

/// Signs between a term and its description, besides two blanks.
const SIGNS: [&str; 6] = [" - ", " -- ", " – ", " — ", " : ", ": "];

/// A description that is read line by line.
#[derive(Debug, Default)]
pub(super) struct Description {
    text: String,
    chars: usize,
}

impl Description {
    pub(super) fn new(text: &str) -> Self {
        let mut description = Self::default();
        description.add(text);
        description
    }

    /// Adds a line; a word that was divided by a hyphen of man is joined again.
    pub(super) fn add(&mut self, line: &str) {
        for (index, word) in line.split_whitespace().enumerate() {
            if self.chars >= MAX_DESCRIPTION_CHARS {
                return;
            }
            if index == 0 && self.text.ends_with('\u{2010}') {
                self.text.pop();
            } else if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.extend(word.chars().take(MAX_DESCRIPTION_CHARS));
            self.chars = self.text.chars().count();
        }
    }

    pub(super) fn finish(self) -> String {
        match self.text.char_indices().nth(MAX_DESCRIPTION_CHARS) {
            Some((end, _)) => self.text[..end].to_owned(),
            None => self.text,
        }
    }
}

/// A name with what may follow it, and its description.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    pub(super) aliases: Vec<&'a str>,
    pub(super) arguments: &'a str,
    pub(super) description: &'a str,
}

/// Reads `name, alias ARGS   description` with any of the usual separators; `None` if the line is something else.
pub(super) fn read(line: &str) -> Option<Entry<'_>> {
    let (term, description) = match split_at_gap(line) {
        // `build, b    Compile`, but not `auth:        Authenticate`.
        Some((term, description)) => (term.trim_end_matches([':', ',']), without_sign(description)),
        None => match split_at_sign(line) {
            Some(parts) => parts,
            None => (line.trim_end_matches(':'), ""),
        },
    };
    let entry = parse_term(term)?;
    // Without a description, a name may have arguments but a sentence is no name.
    let is_sentence = description.is_empty()
        && entry
            .arguments
            .split(' ')
            .filter(|word| is_plain(word))
            .count()
            > 2;
    (!is_sentence).then_some(Entry {
        description,
        ..entry
    })
}

/// Reads `name, alias ARGS`.
pub(super) fn parse_term(term: &str) -> Option<Entry<'_>> {
    let mut rest = term.trim_start_matches(['*', '•']).trim_start();
    let mut names = Vec::new();
    loop {
        let len = rest.find([' ', ',', '|', '(']).unwrap_or(rest.len());
        let (word, next) = rest.split_at(len.max(usize::from(!rest.is_empty())).min(rest.len()));
        let name = word.trim_end_matches(':');
        if !is_name(name) {
            break;
        }
        names.push(name);
        rest = match next.strip_prefix([',', '|']) {
            Some(next) => next.trim_start(),
            None => {
                rest = next.trim_start();
                break;
            }
        };
    }
    // `attach-session (attach)`, `list (ls, l)`
    if !names.is_empty()
        && let Some((aliases, next)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'))
        && aliases.split(", ").all(is_name)
    {
        names.extend(aliases.split(", "));
        rest = next.trim_start();
    }
    let mut names = names.into_iter();
    Some(Entry {
        name: names.next()?,
        aliases: names.collect(),
        arguments: rest,
        description: "",
    })
}

/// Returns whether a word can be the name of a command.
pub(super) fn is_name(word: &str) -> bool {
    let is_start = |c: char| c.is_alphanumeric() || ".:\\/?!@_".contains(c);
    let is_part = |c: char| c.is_alphanumeric() || "-_.:+?!@/\\#".contains(c);
    word.starts_with(is_start)
        && word.chars().all(is_part)
        && (word.len() == 1 || !word.ends_with(['.', ':']))
        && word.chars().count() <= MAX_NAME_CHARS
        && word
            .chars()
            .any(|c| c.is_alphanumeric() || c == '?' || c == '!')
}

/// Returns the names of `a, b, c`; `None` if it is anything else.
pub(super) fn comma_list(line: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = line
        .trim_end_matches(',')
        .split(',')
        .map(str::trim)
        .collect();
    // busybox has `[` and `[[`.
    let are_names = names
        .iter()
        .all(|name| is_name(name) || matches!(*name, "[" | "[["));
    are_names.then_some(names)
}

/// Returns the names of `a    b    c`; `None` if a cell is more than a name.
pub(super) fn column_list(line: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = cells(line).collect();
    names.iter().all(|name| is_name(name)).then_some(names)
}

fn split_at_sign(line: &str) -> Option<(&str, &str)> {
    let found = SIGNS
        .iter()
        .filter_map(|sign| Some((line.find(sign)?, sign.len())));
    let (at, len) = found.min()?;
    Some((line[..at].trim_end(), line[at + len..].trim_start()))
}

/// Returns whether a word is prose: letters only, mostly lower case.
fn is_plain(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',']);
    !word.is_empty() && word.chars().all(|c| c.is_lowercase() || c == '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_with_all_separators() {
        for (line, name, aliases, arguments, description) in [
            ("build, b    Compile", "build", &["b"][..], "", "Compile"),
            ("auth:        Authenticate", "auth", &[], "", "Authenticate"),
            (
                "start UNIT...       Start",
                "start",
                &[],
                "UNIT...",
                "Start",
            ),
            (
                "agents|a [options]   Manage",
                "agents",
                &["a"],
                "[options]",
                "Manage",
            ),
            ("set K V - Set a value", "set", &[], "K V", "Set a value"),
            ("help: Show help", "help", &[], "", "Show help"),
            (
                "append binary -- Append it",
                "append",
                &[],
                "binary",
                "Append it",
            ),
            ("* list - y", "list", &[], "", "y"),
            ("killw (k) [-a]", "killw", &["k"], "[-a]", ""),
            (".exit ?CODE?   Leave", ".exit", &[], "?CODE?", "Leave"),
            ("list (ls, l)  List", "list", &["ls", "l"], "", "List"),
            ("?   help", "?", &[], "", "help"),
            ("nextest", "nextest", &[], "", ""),
        ] {
            let entry = read(line).unwrap();
            assert_eq!((entry.name, &entry.aliases[..]), (name, aliases), "{line}");
            assert_eq!(
                (entry.arguments, entry.description),
                (arguments, description),
                "{line}"
            );
        }
    }

    #[test]
    fn sentences_and_signs_are_no_entries() {
        for line in [
            "see the manual of it for more",
            "...    more",
            "<x>  y",
            "=====",
            "",
            "(a)  b",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn a_divided_word_is_joined_and_a_long_text_cut() {
        let mut description = Description::new("speci\u{2010}");
        description.add("fied  here");
        assert_eq!(description.finish(), "specified here");
        let long = Description::new(&"é ".repeat(900)).finish();
        assert!(long.chars().count() <= MAX_DESCRIPTION_CHARS);
    }
}
