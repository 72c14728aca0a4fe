//! Texts in the file: one line each, and nothing in them that reads as markup of the file.

use ccd_base::visible::is_invisible;
use std::fmt::Write as _;

/// Writes a text that fills the rest of its line.
pub(super) fn line(text: &str) -> String {
    escape(text, false)
}

/// Writes a text between `**` and `**`.
pub(super) fn bold(text: &str) -> String {
    escape(text, true)
}

/// Reads what [`line()`] and [`bold`] write. An escape that they do not write is left as it is: people edit the file.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let escaped = &rest[at + 1..];
        let (char, len) = match escaped.chars().next() {
            Some(char) if SPECIAL.contains(char) => (char, 1),
            Some('u') => code(escaped).unwrap_or(('\\', 0)),
            _ => ('\\', 0),
        };
        plain.push(char);
        rest = &escaped[len..];
    }
    plain.push_str(rest);
    plain
}

/// Returns the whole file as its readers see it: what a scan for secrets must look at.
pub(crate) fn plain(file: &str) -> String {
    unescape(file)
}

/// Pattern of a text up to what is next in a pattern, without a backslash before it.
pub(super) const TEXT: &str = r"((?:\\.|[^\\]|\\\z)*?)";

/// What a backslash before it makes plain.
const SPECIAL: &str = "\\`*_<>|[]()#+-~.:@";

/// By these, two sentences of the summary are known.
const LABELS: [&str; 2] = ["Current phase:", "Next action:"];

fn escape(text: &str, is_bold: bool) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
    let number = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    for (at, char) in text.char_indices() {
        let is_edge = at == 0 || at == last;
        let is_label = at == 0 && LABELS.iter().any(|label| text.starts_with(label));
        if is_invisible(char) || (is_edge && char.is_whitespace()) || is_label {
            let _ = write!(escaped, "\\u{{{:x}}}", u32::from(char));
            continue;
        }
        let after = &text[at + char.len_utf8()..];
        let is_special = match char {
            '\\' | '`' | '<' | '|' => true,
            '*' => is_bold || !is_mask(text, at),
            '_' => after.starts_with('(') || text[..at].ends_with(')'),
            '[' => after.starts_with("ref: "),
            '#' | '+' | '-' | '~' | '>' => at == 0,
            // To Claude Code, `@PATH` after a blank is an import, if CLAUDE.md imports this file.
            '@' => !text[..at].ends_with(|c: char| c.is_alphanumeric()),
            '.' => number > 0 && at == number && (after.is_empty() || after.starts_with(' ')),
            _ => false,
        };
        if is_special {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// True for a `*` of the mask of secrets, which every reader of the file should recognise.
fn is_mask(text: &str, at: usize) -> bool {
    let stars = |text: &str| text.bytes().take_while(|byte| *byte == b'*').count();
    let before = text[..at]
        .bytes()
        .rev()
        .take_while(|byte| *byte == b'*')
        .count();
    before + stars(&text[at..]) == 3
}

/// Reads `u{…}`: the character and the length.
fn code(escaped: &str) -> Option<(char, usize)> {
    let end = escaped.find('}')?;
    let digits = escaped[..end].strip_prefix("u{")?;
    let char = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    Some((char, end + 1))
}

/// Writes a text that must not be read as the word for "nothing".
pub(super) fn not_word(text: &str, word: &str) -> String {
    if text == word {
        format!("\\u{{{:x}}}{}", u32::from(word.as_bytes()[0]), &word[1..])
    } else {
        line(text)
    }
}
