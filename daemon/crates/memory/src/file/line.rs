//! One line of a file: fields, list entries, references.

use super::escape::{find, find_last, unescape};
use super::write::NO_ID;
use ccd_protocol::memory::TaskReference;

/// Reads `**Name**: value`, with or without a bullet; the value is still escaped.
pub(super) fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let text = text.strip_prefix("- ").unwrap_or(text);
    let value = text
        .strip_prefix("**")?
        .strip_prefix(name)?
        .strip_prefix("**:")?;
    Some(value.trim())
}

/// Reads `N. rest`.
pub(super) fn numbered(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < text.len()).then_some(())?;
    match rest {
        "." => Some(""),
        _ => rest.strip_prefix(". ").map(str::trim),
    }
}

/// Reads `**name** rest`: the name, and the rest as it is in the file.
pub(super) fn bold(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix("**")?;
    // A value that starts with the mask of a secret is no name.
    if inner.starts_with('*') && !inner.starts_with("**") {
        return None;
    }
    let end = find(inner, "**")?;
    Some((unescape(&inner[..end]), &inner[end + 2..]))
}

/// Reads ` (line N): rest` or `: rest`.
pub(super) fn placed(rest: &str) -> Option<(Option<u64>, String)> {
    if let Some(rest) = rest.strip_prefix(':') {
        return Some((None, unescape(rest.trim())));
    }
    let (line, rest) = rest.trim_start().strip_prefix("(line ")?.split_once("):")?;
    Some((Some(line.parse().ok()?), unescape(rest.trim())))
}

/// Reads `ID - title _(phase)_`, and the seed's shorter forms: `ID`, `ID: title`.
pub(super) fn task(text: &str) -> TaskReference {
    let (text, phase) = match text
        .strip_suffix(")_")
        .and_then(|text| Some((text, find_last(text, " _(")?)))
    {
        Some((text, at)) => (&text[..at], unescape(&text[at + 3..])),
        None => (text, String::new()),
    };
    let (id, title) = match find(text, " - ") {
        Some(at) => (&text[..at], &text[at + 3..]),
        None => match text.split_once(": ") {
            Some((id, title)) if !id.contains(' ') => (id, title),
            _ if text.contains(' ') => (NO_ID, text),
            _ => (text.strip_suffix(" -").unwrap_or(text), ""),
        },
    };
    TaskReference {
        id: if id == NO_ID {
            String::new()
        } else {
            unescape(id)
        },
        title: unescape(title),
        phase,
    }
}

/// Splits `action [ref: reference]`.
pub(super) fn step(text: &str) -> (String, Option<String>) {
    if let Some(text) = text.strip_suffix(']')
        && let Some(at) =
            find_last(text, "[ref: ").filter(|at| *at == 0 || text[..*at].ends_with(' '))
    {
        let action = text[..at].strip_suffix(' ').unwrap_or(&text[..at]);
        return (unescape(action), Some(unescape(&text[at + 6..])));
    }
    (unescape(text), None)
}
