//! Menus of numbers, as programs show them before they ask which entry is wanted:
//!
//! ```text
//! 1) List
//! 2) Add
//! 0) Quit
//! Choice:
//! ```

use super::help_text::HelpCommand;
use super::page::{Page, split_at_gap};

/// How many entries make a menu.
const LEAST_ENTRIES: usize = 2;

/// Returns the entries of the last menu in a text: their numbers are what is typed.
/// The numbers start with 0 or 1 and have no gap; only the last one, which often leaves the menu, may be any.
pub fn menu(text: &str) -> Vec<HelpCommand> {
    let page = Page::parse(text);
    let entries = page.lines.iter().flat_map(|line| entries(&line.text));
    let (mut last, mut run): (Vec<_>, Vec<(u8, &str)>) = Default::default();
    for (number, description) in entries {
        let previous = run.last().map(|(number, _)| *number);
        let goes_on = previous.is_some_and(|previous| previous + 1 == number);
        let leaves = !goes_on && run.len() >= LEAST_ENTRIES && matches!(number, 0 | 9 | 99);
        if !goes_on && !leaves {
            run.clear();
        }
        if goes_on || leaves || number <= 1 {
            run.push((number, description));
        }
        if run.len() >= LEAST_ENTRIES {
            last.clone_from(&run);
        }
        if leaves {
            run.clear();
        }
    }
    let commands = last.into_iter().map(|(number, description)| HelpCommand {
        description: description.to_owned(),
        ..HelpCommand::named(&number.to_string())
    });
    commands.collect()
}

fn entries(line: &str) -> impl Iterator<Item = (u8, &str)> {
    let starts_word = |at: usize| at == 0 || line[..at].ends_with(' ');
    let starts = line.char_indices().map(|(at, _)| at);
    let starts: Vec<usize> = starts
        .filter(|at| starts_word(*at) && entry(&line[*at..]).is_some())
        .collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().collect();
    let ends = ends.into_iter().chain([line.len()]);
    starts.into_iter().zip(ends).filter_map(move |(at, end)| {
        let (number, text) = entry(&line[at..end])?;
        let text = text.trim();
        Some((number, split_at_gap(text).map_or(text, |(text, _)| text)))
    })
}

/// Reads `1) List`, `1. List`, `1: List`, `1 - List` or `[1] List`: the number, and all that follows.
fn entry(text: &str) -> Option<(u8, &str)> {
    let inner = text.strip_prefix(['[', '(']);
    let digits = inner.unwrap_or(text);
    let len = digits.find(|c: char| !c.is_ascii_digit())?;
    let (number, rest) = digits.split_at(len);
    let rest = match inner {
        Some(_) => rest.strip_prefix([']', ')'])?,
        None => rest
            .strip_prefix([')', '.', ':'])
            .or_else(|| rest.strip_prefix(" -"))?,
    };
    let is_entry = rest.starts_with(' ') && rest.trim_start().starts_with(char::is_alphabetic);
    let number = number.parse().ok().filter(|number| *number < 100);
    Some((number?, rest)).filter(|_| is_entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        let entries = menu(text).into_iter();
        entries
            .map(|entry| (entry.name, entry.description))
            .collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let pairs = pairs.iter();
        pairs
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn menus_in_lines_and_in_one_line_are_read() {
        let wanted = pairs(&[("1", "List all"), ("2", "Add"), ("3", "Quit")]);
        for text in [
            "1) List all  2) Add  3) Quit   Choice:",
            "Menu\n 1. List all\n 2. Add    (new)\n 3. Quit\nChoice:",
            "[1] List all [2] Add [3] Quit",
            "1: List all\n2: Add\n3: Quit\n",
            "1 - List all\n2 - Add\n3 - Quit\n",
            "1) apple\n2) pear\nMenu:\n1) List all\n2) Add\n3) Quit\n",
        ] {
            assert_eq!(read(text), wanted, "{text}");
        }
        let leaves = read("1) A\n2) B\n0) Back\n? x\n1) A\n2) B\n0) Back\n");
        assert_eq!(leaves, pairs(&[("1", "A"), ("2", "B"), ("0", "Back")]));
    }

    #[test]
    fn other_numbers_are_no_menu() {
        for text in [
            "",
            "1) only one",
            "Python 3.12. on 2. of May",
            "2) b\n3) c\n",
            "10.0.0.1: Up\n11.0.0.1: Down\n",
            "1)\n2)\n",
            "1 2 3",
            "[1/3] Compiling\n[2/3] Compiling\n",
        ] {
            assert!(menu(text).is_empty(), "{text}");
        }
    }
}
