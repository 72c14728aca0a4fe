//! Lists that are data: words, phrases and patterns in files that are embedded and read when they are first used.
//! In a file, a name in brackets starts a list, and each line after it is an entry. Empty lines and those that start with
//! `# ` are for readers.

use regex::{Regex, RegexBuilder};
use serde::de::DeserializeOwned;
use std::collections::{HashMap, HashSet};

/// Returns the lists of a file in order, each with its name.
pub(crate) fn lists(file: &'static str) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut lists: Vec<(&str, Vec<&str>)> = Vec::new();
    let is_for_readers = |line: &&str| line.is_empty() || line.starts_with("# ");
    for line in file.lines().filter(|line| !is_for_readers(line)) {
        let name = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'));
        match (name, lists.last_mut()) {
            (Some(name), _) => lists.push((name, Vec::new())),
            (None, Some((_, entries))) => entries.push(line),
            (None, None) => {}
        }
    }
    lists
}

/// Returns the words of a file that is a single list.
pub(crate) fn word_set(file: &'static str) -> HashSet<&'static str> {
    file.split_whitespace().collect()
}

/// The lists of a file by name.
#[derive(Debug)]
pub(crate) struct Lists(HashMap<&'static str, Vec<&'static str>>);

impl Lists {
    /// Quotation marks keep the blanks at the ends of an entry.
    pub(crate) fn new(file: &'static str) -> Self {
        let mut lists = lists(file);
        for entry in lists.iter_mut().flat_map(|(_, entries)| entries) {
            let quoted = entry
                .strip_prefix('"')
                .and_then(|rest| rest.strip_suffix('"'));
            *entry = quoted.unwrap_or(entry);
        }
        Self(lists.into_iter().collect())
    }

    pub(crate) fn get(&self, name: &str) -> &[&'static str] {
        let list = self.0.get(name);
        list.unwrap_or_else(|| unreachable!("there is no list {name:?}"))
    }

    /// Returns what follows the first word of the row that starts with `first`.
    pub(crate) fn row(&self, name: &str, first: &str) -> Option<Vec<&'static str>> {
        let mut rows = self.get(name).iter().map(|row| row.split(' '));
        rows.find_map(|mut row| (row.next() == Some(first)).then(|| row.collect()))
    }

    pub(crate) fn has(&self, name: &str, entry: &str) -> bool {
        self.get(name).contains(&entry)
    }
}

/// The lists of a file as patterns: each entry is an alternative. `{NAME}` stands for the alternatives of an earlier list.
#[derive(Debug)]
pub(crate) struct Patterns(HashMap<&'static str, Regex>);

impl Patterns {
    pub(crate) fn new(file: &'static str) -> Self {
        let lists = lists(file);
        let pattern = |(at, (name, entries)): (usize, &(&'static str, Vec<&str>))| {
            (*name, regex(&filled(entries.join("|"), &lists[..at])))
        };
        Self(lists.iter().enumerate().map(pattern).collect())
    }

    pub(crate) fn get(&self, name: &str) -> &Regex {
        let pattern = self.0.get(name);
        pattern.unwrap_or_else(|| unreachable!("there is no pattern {name:?}"))
    }

    pub(crate) fn is_match(&self, name: &str, text: &str) -> bool {
        self.get(name).is_match(text)
    }
}

/// Returns a pattern with the alternatives of each list in place of `{NAME}`.
pub(crate) fn filled(pattern: String, lists: &[(&'static str, Vec<&'static str>)]) -> String {
    lists.iter().fold(pattern, |pattern, (name, entries)| {
        pattern.replace(&format!("{{{name}}}"), &entries.join("|"))
    })
}

/// Returns what an embedded file says.
///
/// # Panics
///
/// When the file has another form, which the tests of its module exclude.
pub(crate) fn document<T: DeserializeOwned>(json: &'static str) -> T {
    serde_json::from_str(json).unwrap_or_else(|error| unreachable!("{error}"))
}

/// Compiles a pattern of the coach itself, without regard to case.
///
/// # Panics
///
/// When the pattern is wrong, which a test of all files excludes.
pub(crate) fn regex(pattern: &str) -> Regex {
    let built = RegexBuilder::new(pattern).case_insensitive(true).build();
    built.unwrap_or_else(|error| unreachable!("{error}"))
}

/// Returns what is wrong with a pattern: the last line of the message; the others show the pattern.
pub(crate) fn reason(error: &regex::Error) -> String {
    let message = error.to_string();
    let reason = message.lines().last().unwrap_or_default().trim();
    reason.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|end| end == "txt") {
                found.push(path);
            }
        }
    }

    /// The code beside a file names its lists; a list of patterns may also name an earlier one.
    #[test]
    fn every_list_is_used_and_every_list_that_is_used_is_there() {
        let mut found = Vec::new();
        files(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            &mut found,
        );
        assert!(found.len() > 10);
        let named =
            Regex::new(r#"(?:PATTERNS|WORDS|PROGRAMS)\s*\.(?:is_match|get|has|row)\(\s*"([^"]+)""#)
                .unwrap();
        for path in found {
            let text: &'static str = fs::read_to_string(&path).unwrap().leak();
            // An editor may take a blank at the end of a line away.
            assert!(text.lines().all(|line| !line.ends_with(' ')));
            let Ok(code) = fs::read_to_string(path.with_extension("rs")) else {
                continue; // the phrasings and their words, which are read as a whole
            };
            let used: HashSet<&str> = named
                .captures_iter(&code)
                .map(|one| one.get(1).unwrap().as_str())
                .collect();
            let names: HashSet<&str> = lists(text).iter().map(|(name, _)| *name).collect();
            if used.is_empty() {
                continue;
            }
            for name in &names {
                let is_named =
                    code.contains(&format!("\"{name}\"")) || text.contains(&format!("{{{name}}}"));
                assert!(is_named, "{}: {name:?} is not used", path.display());
            }
            if code.contains("Patterns::new") {
                let _ = Patterns::new(text);
            }
            let missing: Vec<_> = used.difference(&names).collect();
            assert!(missing.is_empty(), "{}: {missing:?}", path.display());
        }
    }

    #[test]
    fn entries_of_a_list_are_alternatives_and_may_name_an_earlier_list() {
        let file = "# About fruit.\n[fruit]\napple|pear\nplum\n\n[eaten]\n^{fruit}s?$\n^(?:{fruit})s eaten";
        let patterns = Patterns::new(file);
        assert!(patterns.is_match("fruit", "a PLUM") && patterns.is_match("eaten", "pears eaten"));
        assert_eq!(Lists::new(file).get("fruit"), ["apple|pear", "plum"]);
    }
}
