//! A diff of git in colours.

use crate::render::{Colour, Printer};
use std::io;

/// Writes a diff, line by line; without colours unchanged.
pub(crate) fn run_diff(diff: &str, out: &mut Printer<'_>) -> io::Result<()> {
    if !out.style.is_terminal {
        return out.write_all(diff.as_bytes());
    }
    let mut is_header = true;
    for line in diff.split_terminator('\n') {
        if line.starts_with("diff --git ") {
            is_header = true;
        } else if line.starts_with("@@ ") {
            is_header = false;
        }
        let colour = match line.as_bytes().first() {
            Some(b'@') => Some(Colour::Dim),
            _ if is_header => Some(Colour::Heading),
            Some(b'+') => Some(Colour::Good),
            Some(b'-') => Some(Colour::Bad),
            _ => None,
        };
        match colour {
            Some(colour) if !line.is_empty() => writeln!(out, "{}", out.paint(colour, line))?,
            _ => writeln!(out, "{line}")?,
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
        crate::render::printer::printed_in(style, None, |out| run_diff(DIFF, out))
    }

    #[test]
    fn lines_have_the_colour_of_their_part() {
        let style = Style::COLOURED;
        let expected = "\x1b[1mdiff --git a/x b/x\x1b[0m
\x1b[1m--- a/x\x1b[0m
\x1b[1m+++ b/x\x1b[0m
\x1b[2m@@ -1 +1 @@\x1b[0m
\x1b[31m-\told\x1b[0m
\x1b[32m+\tnew\\u{1b}[2J\\u{d}\x1b[0m
 same
";
        assert_eq!(visible(&shown(style)), expected);
    }

    #[test]
    fn without_a_terminal_it_is_unchanged() {
        assert_eq!(shown(Style::default()), DIFF);
    }
}
