//! Differences in colours.

use super::{Colour, Printer, joined, printable};
use std::io;

/// Writes a diff that a program may read: without a terminal unchanged, else as [`diff`].
pub(crate) fn patch(text: &str, out: &mut Printer<'_>) -> io::Result<()> {
    if out.style.is_terminal {
        diff(text, out)
    } else {
        out.write_all(text.as_bytes())
    }
}

/// Writes a diff, line by line.
pub(crate) fn diff(text: &str, out: &mut Printer<'_>) -> io::Result<()> {
    let mut is_header = !text.starts_with('@');
    for line in text.split_terminator('\n') {
        is_header |= line.starts_with("diff --git ");
        is_header &= !line.starts_with("@@ ");
        let colour = match line.as_bytes().first() {
            Some(b'@') => Some(Colour::Dim),
            Some(_) if is_header => Some(Colour::Heading),
            Some(b'+') => Some(Colour::Good),
            Some(b'-') => Some(Colour::Bad),
            _ => None,
        };
        // Not a tab, which is as wide as in the text.
        let line = joined("\t", line.split('\t').map(printable));
        match colour {
            Some(colour) => out.line(colour, &line)?,
            None => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;
    use crate::writer::visible;

    const DIFF: &str =
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\told\n+\tnew\x1b[2J\r\n same\n";

    fn shown(style: Style) -> String {
        crate::render::printer::printed_in(style, None, |out| patch(DIFF, out))
    }

    #[test]
    fn lines_have_the_colour_of_their_part() {
        let style = Style::COLOURED;
        let expected = "\x1b[1mdiff --git a/x b/x\x1b[0m
\x1b[1m--- a/x\x1b[0m
\x1b[1m+++ b/x\x1b[0m
\x1b[2m@@ -1 +1 @@\x1b[0m
\x1b[31m-\told\x1b[0m
\x1b[32m+\tnew\\u{1b}[2J\\r\x1b[0m
 same
";
        assert_eq!(visible(&shown(style)), expected);
    }

    #[test]
    fn without_a_terminal_it_is_unchanged() {
        assert_eq!(shown(Style::default()), DIFF);
    }
}
