//! How comments and strings are written, by the name of a file: the table in `languages.txt`.

use std::sync::LazyLock;

#[derive(Debug, Default)]
pub(super) struct Language {
    files: Vec<&'static str>,
    pub(super) line: Vec<&'static str>,
    pub(super) block: Vec<(&'static str, &'static str)>,
    pub(super) strings: Vec<Quote>,
    pub(super) has_heredocs: bool,
}

#[derive(Debug)]
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// The string may go on in the next line.
    pub(super) is_long: bool,
    pub(super) has_escapes: bool,
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
    let mut language = Language {
        files: parts.next().unwrap_or_default().split(' ').collect(),
        ..Language::default()
    };
    for part in parts {
        let mut words = part.split(' ');
        let kind = words.next().unwrap_or_default();
        let open = words.next().unwrap_or_default();
        let close = words.next().unwrap_or(open);
        match kind {
            "line" => language.line.push(open),
            "block" => language.block.push((open, close)),
            "heredoc" => language.has_heredocs = true,
            _ => language.strings.push(Quote {
                open,
                close,
                is_long: kind != "string",
                has_escapes: kind != "raw",
            }),
        }
    }
    language
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
