//! Texts of programs in documents: XML, HTML and SVG.

use ccd_base::visible::is_invisible;

/// Returns a text without control characters and without characters that change the direction of writing, each of which
/// becomes a blank. So it is on one line, and shows what it says.
pub fn visible(text: &str) -> String {
    text.replace(is_invisible, " ")
}

/// Returns a text as the content of an element or attribute; characters that XML does not allow become U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_hidden_characters_are_shown() {
        assert_eq!(
            escaped("<a href='x'>&\"\0\r\n"),
            "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\u{fffd}\u{fffd}\n"
        );
        assert_eq!(visible("a\nb\u{202e}c\u{1b}[0m"), "a b c [0m");
    }
}
