//! An open point in a comment.

use ccd_protocol::memory::Priority;

/// A word that marks an open point, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Keyword {
    Blocked,
    Fixme,
    Needs,
    Todo,
    Hack,
}

impl Keyword {
    /// Each with its word, and the verb of what it asks for.
    pub(super) const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Blocked, "BLOCKED", "Unblock"),
        (Self::Fixme, "FIXME", "Fix"),
        (Self::Needs, "NEEDS", "Provide"),
        (Self::Todo, "TODO", "Complete"),
        (Self::Hack, "HACK", "Replace"),
    ];

    pub(super) fn words(self) -> (&'static str, &'static str) {
        let (_, word, verb) = Self::ALL[self as usize];
        (word, verb)
    }
}

/// An open point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comment {
    pub(super) keyword: Keyword,
    /// Relative to the project.
    pub(super) path: String,
    pub(super) line: u64,
    /// What is in brackets after the word: a task or a name.
    pub(super) about: Option<String>,
    pub(super) text: String,
    /// From 0 for one that was not there a day before the last commit to 4 for one that was there a year before.
    pub(super) age: u8,
}

/// Of the ages: it was there a month before the last commit, and a year before.
const OF_LAST_YEAR: u8 = 3;
const OLDER: u8 = 4;

impl Comment {
    pub(super) fn priority(&self) -> Priority {
        match self.keyword {
            Keyword::Blocked => Priority::High,
            _ if self.age >= OLDER => Priority::Low,
            Keyword::Todo if self.age >= OF_LAST_YEAR => Priority::Low,
            Keyword::Fixme if self.age < OF_LAST_YEAR => Priority::High,
            Keyword::Fixme | Keyword::Needs | Keyword::Todo => Priority::Medium,
            Keyword::Hack => Priority::Low,
        }
    }
}
