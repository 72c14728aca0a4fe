//! Text as it is compared.

use super::scrub::scrub;
use crate::expect::clean_lossy;

/// Returns the text of terminal output as it is compared: without control sequences and blanks at line ends, with `\n`
/// at the end of lines, and scrubbed.
pub(crate) fn normal_text(raw: &[u8]) -> String {
    let text = clean_lossy(raw, encoding_rs::UTF_8);
    let mut normal = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            normal.push('\n');
        }
        normal.push_str(line.trim_end_matches(is_blank));
    }
    scrub(&normal).into_owned()
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_line_ends_blanks_and_times_do_not_count() {
        assert_eq!(
            normal_text(b"\x1b[31merror\x1b[0m  \r\nat 12:00:01\t\n  x"),
            "error\nat <time>\n  x"
        );
        assert_eq!(normal_text(b"a\xffb\n"), "a\u{fffd}b\n");
    }
}
