//! The term of an option: `-o, --output=FILE`.

use super::page::{split_at_gap, without_sign};

/// Maximum number of flags of an option, and of characters of a flag and of a value.
const MAX_FLAGS: usize = 16;
const MAX_FLAG_CHARS: usize = 60;
const MAX_VALUE_CHARS: usize = 120;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Term<'a> {
    pub(super) flags: Vec<String>,
    /// The name of its value, such as `FILE`; empty if it has none.
    pub(super) value: String,
    pub(super) description: &'a str,
}

/// Reads a line that starts with an option; `None` if it does not.
/// `column` is where descriptions start in the lines around it, counted in characters of the line: it decides where a
/// long term ends if a single blank follows it.
pub(super) fn read(line: &str, column: Option<usize>) -> Option<Term<'_>> {
    let mut term = Term::default();
    let (mut text, forced) = split_at_column(line, column);
    while let Some((flag, rest)) = flag(text).filter(|_| term.flags.len() < MAX_FLAGS) {
        term.flags.extend(spellings(flag));
        let (value, rest) = value(rest, forced.is_some());
        if term.value.is_empty() && value.chars().count() <= MAX_VALUE_CHARS {
            term.value = value.to_owned();
        }
        text = rest;
        match next_flag(rest) {
            Some(next) => text = next,
            None => break,
        }
    }
    if term.flags.is_empty() {
        return None;
    }
    term.description = forced.unwrap_or_else(|| without_leader(text));
    Some(term)
}

/// Splits a line before the column of descriptions, if a single blank precedes a word there.
fn split_at_column(line: &str, column: Option<usize>) -> (&str, Option<&str>) {
    let at = column
        .filter(|column| *column > 1)
        .and_then(|column| line.char_indices().nth(column))
        .map(|(at, _)| at);
    match at.map(|at| line.split_at(at)) {
        Some((term, description))
            if !description.starts_with([' ', '<', '['])
                && term.ends_with(' ')
                && split_at_gap(term.trim_end()).is_none() =>
        {
            (term.trim_end(), Some(description))
        }
        _ => (line, None),
    }
}

fn flag(text: &str) -> Option<(&str, &str)> {
    let name = text.trim_start_matches('-');
    let dashes = text.len() - name.len();
    if !(1..=2).contains(&dashes) {
        return None;
    }
    if name.is_empty() || name.starts_with("  ") {
        return Some(text.split_at(dashes)); // `-` and `--` are options too
    }
    let optional = if name.starts_with('[') {
        name.find(']').filter(|end| *end <= 6)? + 1
    } else {
        0
    };
    let is_first = |c: char| c.is_alphanumeric() || (dashes == 1 && "?#@!$^:%_.*&".contains(c));
    if !name[optional..].starts_with(is_first) {
        return None;
    }
    let is_part = |c: char| c.is_alphanumeric() || "-_.+:?#@!$^%*&".contains(c);
    let len = name[optional..]
        .find(|c| !is_part(c))
        .unwrap_or(name.len() - optional);
    let end = optional + len;
    // `--verbose...` may be repeated, and `--mode:` ends a term.
    let repeated = name[..end].find("...").unwrap_or(end);
    let end = match name[..repeated].trim_end_matches([':', '.']).len() {
        0 => repeated,
        trimmed => trimmed,
    };
    let is_short_enough = name[..end].chars().count() <= MAX_FLAG_CHARS;
    is_short_enough.then(|| text.split_at(dashes + end))
}

/// Returns both spellings of `--[no-]quiet`.
fn spellings(flag: &str) -> Vec<String> {
    match flag
        .split_once('[')
        .and_then(|(dashes, rest)| Some((dashes, rest.split_once(']')?)))
    {
        Some((dashes, (optional, name))) => {
            vec![
                format!("{dashes}{name}"),
                format!("{dashes}{optional}{name}"),
            ]
        }
        None => vec![flag.to_owned()],
    }
}

/// Reads the value of a flag: `=FILE`, `[=WHEN]`, ` FILE`, ` <a> <b>`. `is_alone` says that no description follows.
fn value(text: &str, is_alone: bool) -> (&str, &str) {
    let text = text.trim_start_matches(['.', ':']);
    let is_joined_list = text.starts_with(',') && !text[1..].starts_with([' ', '-']);
    if text.starts_with(['=', '[', '<', '{', '(']) || is_joined_list {
        let (value, rest) = text.split_at(token_len(text));
        return (value.trim_matches([',', ':', '=']), rest);
    }
    let Some(words) = text
        .strip_prefix(' ')
        .filter(|rest| !rest.starts_with([' ', '-', '/', '|', ':']) && !rest.starts_with("or -"))
    else {
        return ("", text);
    };
    let end = term_len(words);
    let (term, rest) = words.split_at(end);
    let is_closed =
        is_alone || rest.starts_with("  ") || rest.starts_with(',') || rest.starts_with(" :");
    let is_one_word = !term.contains(' ');
    if is_closed || is_one_word {
        // `-1 ("one")` explains the flag.
        let is_remark = term.starts_with("(\"");
        return (
            if is_remark {
                ""
            } else {
                term.trim_end_matches(':')
            },
            rest,
        );
    }
    // The rest of the line is a description; the value is what looks like one.
    let mut len = 0;
    while let Some(token) = Some(token_len(&words[len..])).filter(|token| *token > 0) {
        if !is_placeholder(&words[len..len + token]) {
            break;
        }
        len += token;
        match words[len..].strip_prefix(' ') {
            Some(_) if len + 1 < end => len += 1,
            _ => break,
        }
    }
    let (value, _) = words.split_at(len);
    (value.trim_end(), words[len..].trim_start())
}

/// Length of a word; blanks and commas in brackets belong to it.
fn token_len(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '[' | '<' | '{' | '(' => depth += 1,
            ']' | '>' | '}' | ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 || text[at..].starts_with("  ") => return at,
            ',' if depth == 0 && at > 0 && ends_term(&text[at + 1..]) => return at,
            _ => {}
        }
    }
    text.len()
}

/// Length of the words up to a gap, a colon between blanks, or the comma before the next flag.
fn term_len(text: &str) -> usize {
    let gap = text.find("  ");
    let colon = text.find(" : ");
    let comma = text
        .match_indices(',')
        .map(|(at, _)| at)
        .find(|at| ends_term(&text[at + 1..]));
    [gap, colon, comma]
        .into_iter()
        .flatten()
        .min()
        .unwrap_or(text.len())
}

/// Returns whether a comma before `text` is followed by a flag or by nothing.
fn ends_term(text: &str) -> bool {
    let next = text.trim_start();
    next.is_empty() || next.starts_with('-')
}

/// Returns whether a word names a value: `FILE`, `<file>`, `[HOST/]NAME`, `...`.
fn is_placeholder(word: &str) -> bool {
    let is_bracketed = word.starts_with(['<', '[', '{', '(']);
    is_bracketed || !word.chars().any(char::is_lowercase)
}

/// Returns the text from the next flag of the same option on.
fn next_flag(text: &str) -> Option<&str> {
    let rest = without_leader(text).trim_start();
    let rest = ["or ", "/", "|"]
        .iter()
        .find_map(|sign| rest.strip_prefix(sign))
        .unwrap_or(rest);
    let mut rest = rest.trim_start_matches(',').trim_start();
    // `-q, q, --quick`: a flag without dashes, as ps has them.
    while let Some((word, next)) = rest
        .split_once(',')
        .filter(|(word, _)| !word.starts_with('-') && word.len() < 3)
    {
        if word.is_empty() || !ends_term(next) {
            break;
        }
        rest = next.trim_start();
    }
    flag(rest)
        .is_some_and(|(flag, _)| !matches!(flag, "-" | "--"))
        .then_some(rest)
}

/// Removes what leads from a term to its description: blanks, a colon, dots, a dash between blanks.
fn without_leader(text: &str) -> &str {
    let text = text.trim_start();
    let dots = text.trim_start_matches('.');
    let text = match text.len() - dots.len() {
        0 | 1 => text,
        _ => dots.trim_start(),
    };
    match without_sign(text) {
        ":" => "",
        text => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, flags: &[&str], value: &str, description: &str) {
        let term = read(line, None).unwrap_or_default();
        assert_eq!(term.flags, flags, "{line}");
        assert_eq!(
            (&*term.value, term.description),
            (value, description),
            "{line}"
        );
    }

    #[test]
    fn a_term_is_read_in_all_its_spellings() {
        check("-q, --quiet   be quiet", &["-q", "--quiet"], "", "be quiet");
        check("-h  --help         print", &["-h", "--help"], "", "print");
        check("-C --no-color      Use", &["-C", "--no-color"], "", "Use");
        check(
            "-b ADDRESS, --bind ADDRESS",
            &["-b", "--bind"],
            "ADDRESS",
            "",
        );
        check("--color[=WHEN]  when", &["--color"], "[=WHEN]", "when");
        check(
            "--[no-]author <author>",
            &["--author", "--no-author"],
            "<author>",
            "",
        );
        check(
            "-[no]header      turn on",
            &["-header", "-noheader"],
            "",
            "turn on",
        );
        check(
            "--debug / --no-debug  Set",
            &["--debug", "--no-debug"],
            "",
            "Set",
        );
        check("-v, --verbose...  more", &["-v", "--verbose"], "", "more");
        check("-b     : issue warnings", &["-b"], "", "issue warnings");
        check("-c cmd : program", &["-c"], "cmd", "program");
        check(
            "-v, --set=, --variable=NAME=VALUE",
            &["-v", "--set", "--variable"],
            "NAME=VALUE",
            "",
        );
        check(
            "-1 (\"one\"), --single  one",
            &["-1", "--single"],
            "",
            "one",
        );
        check(
            "-p, p, --pid <PID>   process",
            &["-p", "--pid"],
            "<PID>",
            "process",
        );
        check("-?  ........  --help", &["-?", "--help"], "", "");
        check("-? or --help", &["-?", "--help"], "", "");
        check("-bn or --buffers=n", &["-bn", "--buffers"], "n", "");
        check("-D--x", &["-D--x"], "", "");
        check(
            "--ansi (never|always|auto)  Control",
            &["--ansi"],
            "(never|always|auto)",
            "Control",
        );
        check(
            "-V[N][fname]     Be verbose",
            &["-V"],
            "[N][fname]",
            "Be verbose",
        );
        check(
            "-u, --user <user:password> Server user",
            &["-u", "--user"],
            "<user:password>",
            "Server user",
        );
        check(
            "-print-multi-os-directory Display the path",
            &["-print-multi-os-directory"],
            "",
            "Display the path",
        );
        check(
            "-A, --all-namespaces=false:",
            &["-A", "--all-namespaces"],
            "false",
            "",
        );
        check("-Wa,<options>    Pass on", &["-Wa"], "<options>", "Pass on");
        check("-    read stdin", &["-"], "", "read stdin");
        check("--help={a|b},  x", &["--help"], "{a|b}", "x");
    }

    #[test]
    fn bullets_rulers_and_prose_are_no_options() {
        for line in [
            "- by number",
            "----------",
            "--",
            "a -b",
            "-> x",
            "-- by hand",
            "",
            "—x",
        ] {
            let flags = read(line, None).unwrap_or_default().flags;
            assert!(flags.is_empty() || line == "--", "{line}: {flags:?}");
        }
    }

    #[test]
    fn a_long_term_ends_at_the_column_of_descriptions() {
        let term = read("--defaults-group-suffix=# Additionally read", Some(26)).unwrap();
        assert_eq!((&*term.value, term.description), ("#", "Additionally read"));
        let term = read("-g name Use it", Some(8)).unwrap();
        assert_eq!((&*term.value, term.description), ("name", "Use it"));
    }
}
