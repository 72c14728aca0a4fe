//! Output as a comment that a person can read.

use ccd_base::visible::is_invisible;
use std::fmt::Write as _;

/// Maximum length of a comment, in characters.
const COMMENT_LEN: usize = 200;

/// Returns the comment that shows a chunk's output, without the `//`; `None` if the output is not text, or is blank.
/// Nothing in it can end the comment, hide text, or change how the following text is shown.
pub fn comment(data: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(data).ok()?;
    let mut out = String::new();
    let mut chars = text.chars();
    for char in chars.by_ref().take(COMMENT_LEN) {
        let _ = match char {
            '\n' => out.write_str("\\n"),
            '\r' => out.write_str("\\r"),
            '\t' => out.write_str("\\t"),
            '\u{1b}' => out.write_str("\\e"),
            char if is_invisible(char) => write!(out, "\\u{{{:x}}}", u32::from(char)),
            char => out.write_char(char),
        };
    }
    if chars.next().is_some() {
        out.push('…');
    }
    // Editors remove blanks at the ends of lines.
    let shown = out.trim_end();
    (!shown.is_empty()).then(|| shown.to_owned())
}
