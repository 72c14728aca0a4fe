//! One word of a command line.

/// A word without its quotation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Only to be shown unless the word is known.
    pub text: String,
    /// False if expansions decide what the word is, or whether it is one word.
    pub known: bool,
    /// Whether it can become several words, as an expansion without quotation marks can.
    pub(super) splits: bool,
    /// Offset of the first quoted byte, if any is quoted.
    pub(super) quoted_at: Option<usize>,
    /// Whether it has an opening brace that is not quoted.
    pub(super) has_brace: bool,
}

impl Word {
    pub(super) fn new() -> Self {
        Self {
            text: String::new(),
            known: true,
            splits: false,
            quoted_at: None,
            has_brace: false,
        }
    }

    /// A word whose text an expansion decides.
    pub(super) fn unknown() -> Self {
        Self {
            text: "…".to_owned(),
            known: false,
            splits: true,
            ..Self::new()
        }
    }

    pub(super) fn mark_quoted(&mut self) {
        self.quoted_at.get_or_insert(self.text.len());
    }

    /// Returns whether it is this text without any quotation: keywords are words only then.
    pub(super) fn is_bare(&self, text: &str) -> bool {
        self.quoted_at.is_none() && self.known && self.text == text
    }

    /// Returns the variable if the word assigns one, as in `NAME=value`, `NAME+=value` and `NAME[1]=value`.
    pub(super) fn assigned(&self) -> Option<&str> {
        let (target, _) = self.text.split_once('=')?;
        if self.quoted_at.is_some_and(|at| at <= target.len()) {
            return None;
        }
        let target = target.strip_suffix('+').unwrap_or(target);
        let name = target.split('[').next().unwrap_or_default();
        is_name(name).then_some(name)
    }
}

pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns a program's name without its directory.
pub fn file_name(word: &str) -> &str {
    word.rsplit('/')
        .find(|name| !name.is_empty())
        .unwrap_or(word)
}
