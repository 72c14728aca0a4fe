//! One part of a command line: a program with its words.

use super::split::{CommandPart, Connector};
use crate::table::Lists;
use std::collections::VecDeque;
use std::sync::LazyLock;

static WORDS: LazyLock<Lists> = LazyLock::new(|| Lists::new(include_str!("simple.txt")));

/// A program with its words, without assignments, wrappers such as `sudo`, and redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simple {
    pub connector: Connector,
    /// Assignments before the program, for example `CI=1`.
    pub assignments: Vec<String>,
    /// The program's file name, without its folder.
    pub program: String,
    /// What follows the program, without quotation marks.
    pub words: Vec<String>,
}

impl Simple {
    /// Returns the program of a part; none when it has only assignments or words of the shell's language.
    pub(super) fn from_part(part: CommandPart) -> Option<Self> {
        let mut words = VecDeque::from(part.words);
        let mut assignments = Vec::new();
        while let Some(word) = words.pop_front() {
            if is_assignment(&word) {
                assignments.push(word);
            } else if !WORDS.has("keywords", &word) {
                let program = file_name(&word).to_owned();
                if let Some(start) = wrapped(&program, words.make_contiguous()) {
                    words.drain(..start);
                } else {
                    let words = words.into();
                    return Some(Self {
                        connector: part.connector,
                        assignments,
                        program,
                        words,
                    });
                }
            }
        }
        None
    }

    /// Returns the words that are options. Those after `--` count: they are options of what a script starts.
    pub fn flags(&self) -> impl Iterator<Item = &str> {
        self.words
            .iter()
            .map(String::as_str)
            .filter(|word| is_flag(word))
    }

    /// Returns the words that are no options.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        self.words
            .iter()
            .map(String::as_str)
            .filter(|word| !is_flag(word) && *word != "--")
    }

    /// Returns whether there is the option `name`, alone or as `name=value`.
    pub fn has_flag(&self, name: &str) -> bool {
        self.flags().any(|flag| {
            flag.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
    }

    /// Returns whether it only prepares or reports, such as `cd` and `echo`.
    pub fn is_trivial(&self) -> bool {
        WORDS.has("trivial", &self.program)
    }

    /// Returns the words from the sub-command on: without options of the program itself, such as `-C DIR` of git.
    pub fn from_subcommand(&self) -> &[String] {
        let with_value = WORDS.row("options with a value", &self.program);
        let with_value = with_value.unwrap_or_default();
        let mut index = 0;
        while let Some(word) = self.words.get(index) {
            let is_toolchain =
                matches!(self.program.as_str(), "cargo" | "rustc") && word.starts_with('+');
            if with_value.contains(&word.as_str()) {
                index += 2;
            } else if is_toolchain || (!with_value.is_empty() && is_flag(word)) {
                index += 1;
            } else {
                break;
            }
        }
        // Only options: they are what the command is about, as in `git --version`.
        self.words
            .get(index..)
            .filter(|rest| !rest.is_empty())
            .unwrap_or(&self.words)
    }

    /// Returns program and words in one line; a word with blanks, which was quoted, is shown as `…`.
    /// So a pattern that looks for a command does not find it in a message or a search term.
    pub fn bare_text(&self) -> String {
        let words = self.from_subcommand().iter().map(|word| {
            let is_text = word.chars().any(char::is_whitespace);
            if is_text { "…" } else { word.as_str() }
        });
        self.text_with(words)
    }

    /// Returns the program with other words, in one line.
    pub(super) fn text_with<'a>(&'a self, words: impl Iterator<Item = &'a str>) -> String {
        let all = std::iter::once(self.program.as_str()).chain(words);
        all.collect::<Vec<_>>().join(" ")
    }

    /// Returns the command that `xargs` or `find -exec` executes for what it is given.
    pub fn executed(&self) -> Option<Self> {
        const WITH_VALUE: [&str; 8] = ["-n", "-P", "-I", "-L", "-s", "-d", "-a", "-E"];
        let start = match self.program.as_str() {
            "xargs" => after_options(&self.words, &WITH_VALUE),
            "find" => {
                let mut words = self.words.iter();
                1 + words.position(|word| word.starts_with("-exec"))?
            }
            _ => return None,
        };
        Self::from_part(CommandPart {
            connector: self.connector,
            words: self.words.get(start..)?.to_vec(),
        })
    }

    /// Returns the command line that a shell is started for: `cargo test` of `bash -lc 'cargo test'`.
    pub(super) fn inner_line(&self) -> Option<&str> {
        if !matches!(self.program.as_str(), "sh" | "bash" | "zsh" | "dash") {
            return None;
        }
        let is_command =
            |word: &String| is_flag(word) && !word.starts_with("--") && word.ends_with('c');
        let option = self.words.iter().position(is_command)?;
        self.words.get(option + 1).map(String::as_str)
    }
}

pub(super) fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word != "--"
}

fn file_name(word: &str) -> &str {
    word.rsplit('/')
        .find(|name| !name.is_empty())
        .unwrap_or(word)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Returns where the options end with which `words` start, of which some take the next word as their value.
fn after_options(words: &[String], with_value: &[&str]) -> usize {
    let mut index = 0;
    while let Some(word) = words.get(index).filter(|word| is_flag(word)) {
        index += 1 + usize::from(with_value.contains(&word.as_str()));
    }
    index
}

/// Returns where in `words` the command starts that `program` runs, if it is a wrapper that runs something.
fn wrapped(program: &str, words: &[String]) -> Option<usize> {
    let with_value = WORDS.row("wrappers", program)?;
    let is_question = |word: &String| matches!(word.as_str(), "-v" | "-V");
    if program == "command" && words.first().is_some_and(is_question) {
        return None; // it asks whether there is such a command
    }
    let mut index = after_options(words, &with_value);
    if program == "timeout" {
        index += 1; // the duration
    }
    (index < words.len()).then_some(index)
}
