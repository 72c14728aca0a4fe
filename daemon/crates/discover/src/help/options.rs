//! Options of a text: their lines, and the lines below that describe them.

use super::entry::Description;
use super::flags;
use super::help_text::MAX_ENTRIES;
use super::page::{Line, Page};
use ccd_protocol::investigate::OptionFound;
use std::collections::HashSet;
use std::ops::Range;

/// Returns the options in order, without duplicates. Lines in `usage` are not read.
pub(super) fn options(page: &Page, usage: &Range<usize>) -> Vec<OptionFound> {
    let mut reader = Reader::default();
    for (index, line) in page.lines.iter().enumerate() {
        if reader.options.len() == MAX_ENTRIES {
            break;
        }
        if !usage.contains(&index) {
            reader.read(line);
        }
    }
    reader.finish()
}

/// The option whose description is being read.
struct Open {
    indent: usize,
    /// Column of the description, once a line of it was seen.
    column: Option<usize>,
    flags: Vec<String>,
    value: String,
    description: Description,
}

#[derive(Default)]
struct Reader {
    options: Vec<OptionFound>,
    seen: HashSet<Vec<String>>,
    open: Option<Open>,
    /// Column of the last description that was in the line of its option.
    column: Option<usize>,
    /// Indentation of the unfinished text above: a line that starts with a dash may belong to it.
    prose: Option<usize>,
}

impl Reader {
    fn read(&mut self, line: &Line) {
        if line.is_blank() {
            self.prose = None;
            return;
        }
        let is_text = self.open.as_ref().is_some_and(|open| {
            line.indent > open.indent && open.column.is_some_and(|column| line.indent >= column)
        });
        if !is_text && self.prose != Some(line.indent) && self.start(line) {
            return;
        }
        match &mut self.open {
            Some(open) if line.indent > open.indent => {
                open.column.get_or_insert(line.indent);
                open.description.add(&line.text);
            }
            _ => {
                self.close();
                self.prose = line.is_unfinished().then_some(line.indent);
            }
        }
    }

    /// Starts an option if the line has one.
    fn start(&mut self, line: &Line) -> bool {
        let column = self
            .column
            .and_then(|column| column.checked_sub(line.indent));
        let Some(term) = flags::read(&line.text, column) else {
            return false;
        };
        let column = match term.description {
            "" => None,
            text => Some(line.indent + line.text.chars().count() - text.chars().count()),
        };
        self.close();
        self.column = column.or(self.column);
        self.prose = None;
        self.open = Some(Open {
            indent: line.indent,
            column,
            flags: term.flags,
            value: term.value,
            description: Description::new(term.description),
        });
        true
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take()
            && self.seen.insert(open.flags.clone())
        {
            self.options.push(OptionFound {
                flags: open.flags,
                value: (!open.value.is_empty()).then_some(open.value),
                description: open.description.finish(),
            });
        }
    }

    fn finish(mut self) -> Vec<OptionFound> {
        self.close();
        self.options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, String)> {
        let options = options(&Page::parse(text), &(0..0)).into_iter();
        options
            .map(|option| (option.flags.join(" "), option.description))
            .collect()
    }

    fn pair(flags: &str, description: &str) -> (String, String) {
        (flags.to_owned(), description.to_owned())
    }

    #[test]
    fn a_description_may_start_in_the_next_line() {
        assert_eq!(
            found(
                "  -a, --all\n          List all,\n          -b too\n\n          Slowly.\n      --list\n          List\n"
            ),
            [
                pair("-a --all", "List all, -b too Slowly."),
                pair("--list", "List")
            ]
        );
    }

    #[test]
    fn a_wrapped_sentence_is_no_option() {
        assert_eq!(
            found(
                "Sort entries alphabetically if you have given none of\n-cftuvSUX, or -x.\n\n-a  all\n"
            ),
            [pair("-a", "all")]
        );
        assert_eq!(found("  -a  all\n  (see -b)\n  -c  count\n").len(), 2);
        assert_eq!(found("Options:\n  -a  x\n  -a  y\n"), [pair("-a", "x")]);
    }
}
