//! Whether an answer is help.

use super::help_text::HelpText;
use super::parse::parse;
use crate::answer::is_same_answer;
use ccd_protocol::pattern::PatternType;
use ccd_text::pattern::Compiled;

/// Number of options, or of commands, that make a text help.
const LEAST_ENTRIES: usize = 2;

/// Maximum part of a text in which the pattern library looks for help, in bytes.
const MAX_TEXT_BYTES: usize = 64 << 10;

/// Returns what an answer says, if it is help: it differs from the answers to words that make no sense by more than the
/// word, and it names a usage, several options or several commands, or the pattern library finds that it is help.
/// `nonsense` has such words with their answers. `status` is the exit status of a program that has ended, 0 at a
/// prompt: after an error, a text is help only if it has a list.
pub fn help_of<'a>(
    (word, answer): (&str, &str),
    status: i32,
    nonsense: impl IntoIterator<Item = (&'a str, &'a str)>,
    library: &Compiled,
) -> Option<HelpText> {
    let mut nonsense = nonsense.into_iter();
    if nonsense.any(|other| is_same_answer((word, answer), other)) {
        return None;
    }
    let help = parse(answer, library);
    let has_list = help.options.len() >= LEAST_ENTRIES || help.commands.len() >= LEAST_ENTRIES;
    let is_help = match status {
        0 => has_list || !help.usage.is_empty() || looks_like_help(answer, library),
        _ => has_list,
    };
    is_help.then_some(help)
}

fn looks_like_help(text: &str, library: &Compiled) -> bool {
    let found = library.classify(&text[..text.floor_char_boundary(MAX_TEXT_BYTES)]);
    let mut matches = found.matches.iter();
    matches.any(|found| found.pattern_type == PatternType::Help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_a_usage_or_has_a_list_and_is_no_answer_to_nonsense() {
        let is_help = |answer: &str, status| {
            let nonsense = [("xyzzyq", "unknown command: xyzzyq\nusage: x")];
            help_of(("help", answer), status, nonsense, &Compiled::built_in()).is_some()
        };
        let list = "Commands:\n  add  Add it\n  list  List all\n";
        assert!(is_help(list, 0) && is_help(list, 2));
        assert!(is_help("usage: x FILE", 0) && !is_help("usage: x FILE", 2));
        assert!(!is_help("unknown command: help\nusage: x", 0));
        assert!(!is_help("done", 0) && !is_help("", 0));
    }
}
