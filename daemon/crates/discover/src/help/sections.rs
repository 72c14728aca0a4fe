//! Headings and what is below them.

use super::page::{Line, Page};

const MAX_HEADING_WORDS: usize = 7;

/// Returns the lines below each wanted heading, in order: those that are indented further. The sections in a section are
/// not returned again.
pub(super) fn sections(
    page: &Page,
    is_wanted: impl Fn(&Line) -> bool,
) -> impl Iterator<Item = &[Line]> {
    let lines = &page.lines;
    let mut index = 0;
    std::iter::from_fn(move || {
        while let Some(heading) = lines.get(index) {
            let above = index.checked_sub(1).map(|above| &lines[above]);
            index += 1;
            // The last line of a sentence can look like a heading.
            let is_sentence =
                above.is_some_and(|above| above.indent == heading.indent && above.is_unfinished());
            if heading.is_blank() || is_sentence || !is_wanted(heading) {
                continue;
            }
            let below = below(&lines[index..], heading.indent);
            index += below.len();
            if !below.is_empty() {
                return Some(below);
            }
        }
        None
    })
}

/// Returns the lines up to the first one that is not indented further than `indent`.
pub(super) fn below(lines: &[Line], indent: usize) -> &[Line] {
    let end = lines
        .iter()
        .position(|line| !line.is_blank() && line.indent <= indent)
        .unwrap_or(lines.len());
    let last = lines[..end].iter().rposition(|line| !line.is_blank());
    &lines[..last.map_or(0, |last| last + 1)]
}

/// Returns whether a line is the heading of a list of commands: `Commands:`, `CORE COMMANDS`, `Main Porcelain Commands`.
pub(super) fn announces_commands(line: &Line) -> bool {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let is_command = |word: &&str| {
        let word = word
            .trim_matches(|c: char| !c.is_alphanumeric() && c != '-')
            .to_ascii_lowercase();
        matches!(&*word, "commands" | "subcommands" | "sub-commands")
    };
    words.len() <= MAX_HEADING_WORDS && words.iter().any(is_command) && is_heading(line)
}

/// Returns whether a line has the form of a heading: it ends with a colon, is in capitals, or is a short title.
pub(super) fn is_heading(line: &Line) -> bool {
    let text = &*line.text;
    if text.is_empty() || text.contains("  ") || text.starts_with('-') {
        return false;
    }
    let is_title = || {
        let is_short = text.split(' ').count() <= 5;
        is_short && text.starts_with(char::is_uppercase) && !text.ends_with(['.', ',', ';'])
    };
    text.ends_with(':') || !text.chars().any(char::is_lowercase) || is_title()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_the_indentation_does() {
        let page = Page::parse("A:\n  x\n\n    y\n\nB:\n  z\nC:\n");
        let found = sections(&page, is_heading).map(|section| (&*section[0].text, section.len()));
        assert_eq!(found.collect::<Vec<_>>(), [("x", 3), ("z", 1)]);
    }

    #[test]
    fn headings_of_commands_are_found_in_all_their_forms() {
        let is_one = |text: &str| announces_commands(&Page::parse(text).lines[0]);
        for text in [
            "Commands:",
            "CORE COMMANDS",
            "Main Porcelain Commands",
            "Basic Commands (Beginner):",
            "Available subcommands:",
        ] {
            assert!(is_one(text), "{text}");
        }
        for text in [
            "Options:",
            "in conjunction with one of the subcommands --delete,",
            "Type help for the commands.",
            "Command files",
        ] {
            assert!(!is_one(text), "{text}");
        }
    }
}
