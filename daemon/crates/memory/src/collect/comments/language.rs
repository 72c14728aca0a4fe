//! How comments and strings are written, by the name of a file: the table in `languages.txt`.

use crate::model::pattern;
use regex::{Regex, escape};
use std::sync::LazyLock;

pub(super) struct Language {
    files: Vec<&'static str>,
    /// Of the tokens: the text of each is in the group of that number, from 1.
    pub(super) kinds: Vec<&'static str>,
    pub(super) tokens: Regex,
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let lines = include_str!("languages.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .map(parse)
        .collect()
});

fn parse(line: &'static str) -> Language {
    let mut parts = line.split(", ");
    let files = parts.next().unwrap_or_default().split(' ').collect();
    let (mut kinds, mut tokens) = (Vec::new(), Vec::new());
    for part in parts {
        let mut words = part.split(' ');
        let kind = words.next().unwrap_or_default();
        let open = words.next().unwrap_or_default();
        let (close, open) = (escape(words.next().unwrap_or(open)), escape(open));
        kinds.push(kind);
        tokens.push(match kind {
            "line" => format!("{open}()"), // up to the end of the line
            "string" => format!(r"{open}((?:\\.|[^\\\n])*?)(?:{close}|\\?$)"),
            "long" => format!(r"{open}((?s:\\.|[^\\])*?)(?:{close}|\\?\z)"),
            "script" => r"<script[^>]*>((?s:.*?))(?:</script|\z)".to_owned(),
            "heredoc" => r#"<<[-~]* *["'\\]*(\w+)"#.to_owned(),
            _ => format!(r"{open}((?s:.*?))(?:{close}|\z)"),
        });
    }
    // A quote as a character starts no string.
    tokens.push(r#"'\\?"'"#.to_owned());
    Language {
        files,
        kinds,
        tokens: pattern(&tokens.join("|")),
    }
}

/// Returns the language of a file; nothing for files that are not code.
pub(super) fn language(name: &str) -> Option<&'static Language> {
    // Programs in R are `.R` files.
    let extension = name.rsplit_once('.').map(|(_, end)| end.to_lowercase());
    let key = extension.as_deref().unwrap_or(name);
    LANGUAGES
        .iter()
        .find(|language| language.files.contains(&key))
}
