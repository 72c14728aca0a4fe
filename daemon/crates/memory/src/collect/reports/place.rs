//! Places in messages: `src/a.rs:12:5`.

use crate::collect::paths::relative;
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

#[expect(clippy::unwrap_used, reason = "compiled by the tests")]
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"((?:file://)?[^\s()\[\]"'<>:,]+\.[A-Za-z]{1,5}):(\d{1,9})"#).unwrap()
});

/// Returns the first place in a text that is in the project, else the first at all.
pub(super) fn first(root: &Path, text: &str) -> Option<(String, u64)> {
    let mut other = None;
    for found in PLACE.captures_iter(text).take(50) {
        let (file, line) = (relative(root, &found[1]), found[2].parse().ok()?);
        if root.join(&file).is_file() && !file.contains("node_modules") {
            return Some((file, line));
        }
        other.get_or_insert((file, line));
    }
    other
}

/// Returns the line of the first place in `file`, which is relative to the project.
pub(super) fn line_in(root: &Path, text: &str, file: &str) -> Option<u64> {
    let places = PLACE.captures_iter(text).take(50);
    places
        .filter(|found| relative(root, &found[1]) == file)
        .find_map(|found| found[2].parse().ok())
}

/// Returns the first line of a message without escape sequences of terminals.
pub(super) fn message(text: &str) -> Option<String> {
    #[expect(clippy::unwrap_used, reason = "compiled by the tests")]
    static ESCAPES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\x1b\[[0-9;]*[A-Za-z]").unwrap());
    let text = ESCAPES.replace_all(text, "");
    let line = crate::model::one_line(text.trim(), crate::model::MESSAGE_CHARS);
    (!line.is_empty()).then_some(line)
}
