//! Texts within a line of Markdown, and fences around blocks.

use super::on_one_line;

/// Returns a text as one line that is shown as it is: nothing in it is markup.
pub(crate) fn plain(text: &str) -> String {
    let line = on_one_line(text);
    let mut escaped = String::with_capacity(line.len());
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    for (at, c) in line.char_indices() {
        let starts_block = match at {
            0 => matches!(c, '-' | '+' | '='),
            at => at == digits && matches!(c, '.' | ')'),
        };
        match c {
            '<' => escaped.push_str("&lt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '>' | '&' | '|' | '~' | '#' | '!' | '$' => {
                escaped.extend(['\\', c]);
            }
            c if starts_block => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns a text as code within a line; nothing for an empty one.
pub(crate) fn code(text: &str) -> String {
    let line = on_one_line(text);
    if line.is_empty() {
        return line;
    }
    let ticks = "`".repeat(longest_run(&line) + 1);
    if line.starts_with('`') || line.ends_with('`') {
        format!("{ticks} {line} {ticks}")
    } else {
        format!("{ticks}{line}{ticks}")
    }
}

/// Returns a fence that no line of the text closes.
pub(super) fn fence(text: &str) -> String {
    "`".repeat(longest_run(text).max(2) + 1)
}

fn longest_run(text: &str) -> usize {
    let (mut run, mut longest) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_line_is_markup() {
        for (text, escaped) in [
            (
                "a <b> &amp; [x](y) `c` *d*",
                "a &lt;b\\> \\&amp; \\[x\\](y) \\`c\\` \\*d\\*",
            ),
            ("- item\n# more", "\\- item \\# more"),
            ("12. item 3.5", "12\\. item 3.5"),
            ("well-known 1) x", "well-known 1) x"),
        ] {
            assert_eq!(plain(text), escaped);
        }
    }

    #[test]
    fn code_and_fences_are_longer_than_what_is_in_them() {
        assert_eq!(code("a\n`b"), "``a `b``");
        assert_eq!(code("`b`"), "`` `b` ``");
        assert_eq!(code(" \u{1b}[0m"), "");
        assert_eq!(fence("x"), "```");
        assert_eq!(fence("a\n  ````x"), "`````");
    }
}
