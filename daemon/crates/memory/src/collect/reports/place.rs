//! Places in messages: `src/a.rs:12:5`.

use crate::collect::paths::relative;
use ccd_text::redact::redact;
use regex::Regex;
use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

#[expect(clippy::unwrap_used, reason = "compiled by the tests")]
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"((?:file://)?[^\s()\[\]"'<>:,]+\.[A-Za-z]{1,5}):(\d{1,9})"#).unwrap()
});

/// Returns the first place in a text that is in the project, else the first at all.
/// Without secrets: in `//user:key@host.org:80` the key would look like a file.
pub(super) fn first(root: &Path, text: &str) -> Option<(String, u64)> {
    let text = redact(text).text;
    let mut other = None;
    for found in PLACE.captures_iter(&text).take(50) {
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

/// Returns a text without escape sequences of terminals.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    #[expect(clippy::unwrap_used, reason = "compiled by the tests")]
    static ESCAPES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\x1b\[[0-9;]*[A-Za-z]").unwrap());
    ESCAPES.replace_all(text, "")
}

/// Returns the first line of a message.
pub(super) fn message(text: &str) -> Option<String> {
    let text = plain(text);
    let line = crate::model::one_line(text.trim(), crate::model::MESSAGE_CHARS);
    (!line.is_empty()).then_some(line)
}
