//! Usage lines.

use super::entry::Description;
use super::page::{Line, Page, first_word, split_at_gap};
use std::ops::Range;

const MAX_LINES: usize = 50;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) lines: Vec<String>,
    pub(super) range: Range<usize>,
}

/// Returns what follows `usage:`, one text for each form of the command line.
/// A text without that word has a usage line if its first line names options: `systemctl [OPTIONS...] COMMAND ...`.
pub(super) fn usage(page: &Page) -> Usage {
    let labelled = page
        .lines
        .iter()
        .enumerate()
        .find_map(|(index, line)| Some((index, after_label(line)?)));
    if let Some((index, first)) = labelled {
        return below(page, index, first);
    }
    let first = page.position(|line| !line.is_blank()).unwrap_or_default();
    let is_usage = |line: &&Line| line.text.to_ascii_lowercase().contains("[option");
    match page.lines.get(first).filter(is_usage) {
        Some(line) => Usage {
            lines: vec![line.text.clone()],
            range: first..first + 1,
        },
        None => Usage::default(),
    }
}

/// Returns the usage lines below the heading at `index`; `first` is the text after the heading in its line.
pub(super) fn below(page: &Page, index: usize, first: &str) -> Usage {
    let mut forms: Vec<Description> = Vec::new();
    let mut add = |text: &str, is_new: bool| {
        let text = split_at_gap(text).map_or(text, |(usage, _)| usage);
        match forms.last_mut().filter(|_| !is_new) {
            Some(form) => form.add(text),
            None => forms.push(Description::new(text)),
        }
        forms.len() < MAX_LINES
    };
    let heading = page.lines[index].indent;
    let mut program = first_word(first).to_owned();
    let mut column = None;
    if !first.is_empty() {
        add(first, true);
    }
    let mut end = index + 1;
    for line in &page.lines[index + 1..] {
        if line.is_blank() {
            if program.is_empty() {
                end += 1;
                continue;
            }
            break;
        }
        if program.is_empty() {
            program = line.first_word().to_owned();
            column = Some(line.indent);
        }
        let is_part = match column {
            Some(column) => line.indent >= column,
            None => line.indent > heading,
        };
        if !is_part || line.text.starts_with('-') {
            break;
        }
        let text = ["or:", "Or:", "OR:"]
            .iter()
            .find_map(|or| line.text.strip_prefix(or));
        let is_new = text.is_some() || column == Some(line.indent) || line.first_word() == program;
        if !add(text.unwrap_or(&line.text).trim_start(), is_new) {
            break;
        }
        end += 1;
    }
    let lines = forms.into_iter().map(Description::finish).collect();
    Usage {
        lines,
        range: index..end,
    }
}

/// Returns whether usage lines follow, in this line or below it.
pub(super) fn is_label(line: &Line) -> bool {
    after_label(line).is_some()
}

/// Returns the text after `usage:` in its line, which may be empty.
fn after_label(line: &Line) -> Option<&str> {
    const LABEL: &str = "usage:";
    let text = &*line.text;
    if text.eq_ignore_ascii_case("usage") {
        return Some("");
    }
    let is_label = |start: usize| {
        text.get(start..start + LABEL.len())
            .is_some_and(|label| label.eq_ignore_ascii_case(LABEL))
    };
    if is_label(0) {
        return Some(text[LABEL.len()..].trim_start());
    }
    let at_end = text.len().checked_sub(LABEL.len())?;
    is_label(at_end).then_some("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        usage(&Page::parse(text)).lines
    }

    #[test]
    fn each_form_of_the_command_line_is_one_text() {
        assert_eq!(
            lines("usage: x [-a]\n         [-b] FILE\n\nfoo"),
            ["x [-a] [-b] FILE"]
        );
        assert_eq!(
            lines("Usage: x [a]   edit\n   or: x [b]   read\n"),
            ["x [a]", "x [b]"]
        );
        assert_eq!(
            lines("USAGE:\n    x [A]\n    x -e B\n      C\n\nARGS:\n"),
            ["x [A]", "x -e B C"]
        );
        assert_eq!(
            lines("The debugger.  Usage:\n\n    x [a]\n    x b\n"),
            ["x [a]", "x b"]
        );
        assert_eq!(
            lines("Usage:\tx [a]\n\tx [b]\nLong options:\n"),
            ["x [a]", "x [b]"]
        );
        assert_eq!(
            lines("Usage: x [OPTIONS] [cmd]\n  -h <host>   Server\n"),
            ["x [OPTIONS] [cmd]"]
        );
        assert_eq!(
            lines("x [OPTIONS...] COMMAND ...\n\nQuery.\n"),
            ["x [OPTIONS...] COMMAND ..."]
        );
        assert_eq!(
            lines("USAGE\n  gh <command> [flags]\n\nCORE\n"),
            ["gh <command> [flags]"]
        );
        assert_eq!(lines("nothing\n"), Vec::<String>::new());
    }
}
