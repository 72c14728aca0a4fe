//! Words of the index that nobody says: what a record is, so that a search for it needs no row of each hit.

use super::extract::{Entry, ResultRow};
use ccd_store::{Connection, SqlResult, query_scalar};
use std::borrow::Cow;
use std::collections::HashMap;

/// FTS5 takes characters for private use for letters. They are taken out of what is said.
const FIRST: char = '\u{E000}';
const LAST: char = '\u{E003}';

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark<'a> {
    /// It calls this tool, or has a result of it.
    Tool(&'a str),
    User,
    Assistant,
    SubAgent,
}

impl Mark<'_> {
    pub(crate) fn token(&self) -> String {
        match self {
            Self::Tool(name) => {
                // A name may have characters that separate words, and only its case may tell it from another one.
                let bytes = name.bytes().map(|byte| format!("{byte:02x}"));
                format!("{FIRST}{}", bytes.collect::<String>())
            }
            Self::User => "\u{E001}".to_owned(),
            Self::Assistant => "\u{E002}".to_owned(),
            Self::SubAgent => LAST.to_string(),
        }
    }
}

/// Returns a text without words that are marks.
pub(crate) fn without_marks(text: &str) -> Cow<'_, str> {
    let is_mark = |c| (FIRST..=LAST).contains(&c);
    if text.contains(is_mark) {
        Cow::Owned(text.replace(is_mark, " "))
    } else {
        Cow::Borrowed(text)
    }
}

/// Adds the marks that a record itself gives reason for.
pub(super) fn mark(entry: &mut Entry) {
    if entry.text.is_empty() {
        return;
    }
    if let Cow::Owned(text) = without_marks(&entry.text) {
        entry.text = text;
    }
    let role = if entry.record.role {
        Mark::Assistant
    } else {
        Mark::User
    };
    add(&mut entry.text, &role);
    if entry.record.is_sub {
        add(&mut entry.text, &Mark::SubAgent);
    }
    for call in &entry.calls {
        add(&mut entry.text, &Mark::Tool(&call.name));
    }
}

/// Adds the tools that results are of: a call is in an earlier record, of these or of the index.
pub(super) async fn mark_results(
    connection: &mut Connection,
    entries: &mut [Entry],
) -> SqlResult<()> {
    let calls = entries.iter().flat_map(|entry| &entry.calls);
    let mut names: HashMap<String, String> = calls
        .map(|call| (call.tool_use_id.clone(), call.name.clone()))
        .collect();
    for entry in entries.iter_mut().filter(|entry| !entry.text.is_empty()) {
        for ResultRow { tool_use_id, .. } in &entry.results {
            if !names.contains_key(tool_use_id) {
                let name = query_scalar("SELECT name FROM calls WHERE tool_use_id = ? LIMIT 1");
                let name = name.bind(tool_use_id).fetch_optional(&mut *connection);
                names.insert(tool_use_id.clone(), name.await?.unwrap_or_default());
            }
            if let Some(name) = names.get(tool_use_id).filter(|name| !name.is_empty()) {
                add(&mut entry.text, &Mark::Tool(name));
            }
        }
    }
    Ok(())
}

fn add(text: &mut String, mark: &Mark<'_>) {
    text.push(' ');
    text.push_str(&mark.token());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_no_mark() {
        let mut entry = Entry {
            text: format!("said {} \u{E003}", Mark::Tool("Bash").token()),
            ..Entry::default()
        };
        mark(&mut entry);
        assert_eq!(entry.text, "said  42617368   \u{E001}");
    }
}
