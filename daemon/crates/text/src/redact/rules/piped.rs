//! Passwords that a command reads from its input: `echo … | sudo -S`, `chpasswd <<< me:…`, `sudo -S <<EOF`, and `-passin pass:…`.

use super::placeholder::is_placeholder;
use super::word::{Word, begins_word};
use crate::redact::engine::{Rule, Shown, Verdict};
use std::ops::Range;

pub(super) const PIPED: Rule = Rule {
    anchors: &["echo ", "printf "],
    judge: piped,
};

pub(super) const HERE: Rule = Rule {
    anchors: &["<<<", "<<"],
    judge: here,
};

/// The form of a password in options of `openssl` and others: `-passin pass:…`.
pub(super) const PASS: Rule = Rule {
    anchors: &["pass:"],
    judge: pass,
};

/// How much of a command is read, in bytes.
const MAX_COMMAND_BYTES: usize = 256;

/// Maximum length of the option before `pass:`, in bytes.
const MAX_OPTION_BYTES: usize = 32;

/// Options of any command that reads a password or a token from its input.
const READING_OPTIONS: &[&str] = &["--password-stdin", "--with-token", "--passphrase-fd 0"];

/// Commands that read a password from their input.
const READERS: &[&str] = &[
    "passwd",
    "su",
    "kinit",
    "cryptsetup",
    "smbpasswd",
    "vncpasswd",
];

/// What a command reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Password,
    /// `me:password`
    Login,
}

fn piped(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    if !begins_word(shown, anchor.start) {
        return Verdict::Innocent;
    }
    printed(shown.text.as_bytes(), anchor.end).into()
}

/// Returns the secret in the words from `start` on, which are printed into a pipe.
fn printed(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let bytes = &bytes[..bytes.len().min(start + 2 * MAX_COMMAND_BYTES)];
    let mut words: Vec<Word> = Vec::new();
    let mut at = start;
    while let Some(word) = Word::at(bytes, at).filter(|word| word.end < start + MAX_COMMAND_BYTES) {
        at = word.end + blanks(bytes, word.end);
        let is_option = words.is_empty() && bytes[word.content.clone()].starts_with(b"-");
        if !is_option {
            words.push(word);
        }
    }
    if bytes.get(at) != Some(&b'|') {
        return None;
    }
    let reading = reading(command(bytes, at + 1))?;
    let (first, last) = (words.first()?, words.last()?);
    let is_format = words.len() > 1 && bytes[first.content.clone()].contains(&b'%');
    let first = if is_format { &words[1] } else { first };
    if first.end == last.end {
        return typed(bytes, first, reading);
    }
    let is_known = is_placeholder(&bytes[first.content.clone()]);
    (!is_known).then_some(first.content.start..last.content.end)
}

fn here(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    let bytes = shown.text.as_bytes();
    let window = &bytes[anchor.start.saturating_sub(MAX_COMMAND_BYTES)..anchor.start];
    let is_before = |byte: &u8| b"\n\r;|&".contains(byte);
    let start = window.iter().rposition(is_before).map_or(0, |at| at + 1);
    // Arguments with blanks are quoted: in each of them, a command starts anew.
    let argument = ["' '", "\" \"", "' \"", "\" '"].iter();
    let argument = argument.filter_map(|border| memchr::memmem::rfind(window, border.as_bytes()));
    let start = argument.max().map_or(0, |at| at + 3).max(start);
    let mut line = String::from_utf8_lossy(&window[start..]).into_owned();
    // The shell's prompt.
    for prompt in ["$ ", "# ", "% ", "> "] {
        if let Some(at) = line.rfind(prompt) {
            line.drain(..at + prompt.len());
        }
    }
    let Some(reading) = reading(line.as_bytes()) else {
        return Verdict::Innocent;
    };
    let start = anchor.end + blanks(bytes, anchor.end);
    let word = match anchor.len() {
        3 => Word::at(bytes, start),
        _ if window.ends_with(b"<") => None, // a part of `<<<`
        _ => first_line(bytes, start),
    };
    word.and_then(|word| typed(bytes, &word, reading)).into()
}

/// Returns the first line of the text that `<<` announces; its last line has the word at `start`.
fn first_line(bytes: &[u8], start: usize) -> Option<Word> {
    let window = &bytes[..bytes.len().min(start + MAX_COMMAND_BYTES)];
    let is_break = |byte: &u8| b"\r\n".contains(byte);
    let is_indented = usize::from(window.get(start) == Some(&b'-'));
    let last = Word::at(window, start + is_indented)?;
    let end = last.end + window[last.end..].iter().position(is_break)?;
    let breaks = window[end..].iter().take_while(|byte| is_break(byte));
    let line = end + breaks.count();
    let line = line + blanks(window, line);
    let rest = &bytes[line..];
    let len = rest.iter().position(is_break).unwrap_or(rest.len());
    let content = line..line + len;
    let is_last = bytes[content.clone()] == bytes[last.content];
    (!is_last && !content.is_empty()).then_some(Word {
        end: content.end,
        content,
        quote: None,
    })
}

/// Returns the secret in a word; `None` if it is a variable.
fn typed(bytes: &[u8], word: &Word, reading: Reading) -> Option<Range<usize>> {
    let mut secret = word.content.clone();
    if reading == Reading::Login {
        secret.start += memchr::memchr(b':', &bytes[secret.clone()])? + 1;
    }
    let value = &bytes[secret.clone()];
    let is_literal = bytes[word.content.start - 1] == b'\'';
    let is_variable = match value {
        [b'$', next, ..] => next.is_ascii_alphabetic() || *next == b'_',
        _ => bytes[secret.start - 1] == b'`',
    };
    (!is_placeholder(value) && (is_literal || !is_variable)).then_some(secret)
}

fn pass(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    let bytes = shown.text.as_bytes();
    let before = &bytes[anchor.start.saturating_sub(MAX_OPTION_BYTES)..anchor.start];
    let quote_len = usize::from(before.last().is_some_and(|byte| b"'\"".contains(byte)));
    let Some((b' ' | b'=', before)) = before[..before.len() - quote_len].split_last() else {
        return Verdict::Innocent;
    };
    let option = before.rsplit(u8::is_ascii_whitespace).next();
    let is_option = option.is_some_and(|option| {
        option.starts_with(b"-") && memchr::memmem::find(option, b"pass").is_some()
    });
    let Some(word) = Word::at(bytes, anchor.start - quote_len).filter(|_| is_option) else {
        return Verdict::Innocent;
    };
    let secret = anchor.end..word.content.end.max(anchor.end);
    let is_known = is_placeholder(&bytes[secret.clone()]);
    (!is_known).then_some(secret).into()
}

fn command(bytes: &[u8], start: usize) -> &[u8] {
    let window = &bytes[start..bytes.len().min(start + MAX_COMMAND_BYTES)];
    let end = window.iter().position(|byte| b"\n\r;|&".contains(byte));
    &window[..end.unwrap_or(window.len())]
}

/// Returns which secret a command reads from its input; `None` for other commands.
fn reading(command: &[u8]) -> Option<Reading> {
    let command = String::from_utf8_lossy(command);
    let mut words = command.split_ascii_whitespace().peekable();
    let mut name = base_name(words.next()?);
    if name == "sudo" {
        while let Some(option) = words.next_if(|word| word.starts_with('-')) {
            if option == "--stdin" || (!option.starts_with("--") && option.contains('S')) {
                return Some(Reading::Password);
            }
            // These take a value.
            if matches!(
                option.as_bytes(),
                [
                    b'-',
                    b'u' | b'g' | b'p' | b'h' | b'C' | b'r' | b't' | b'D' | b'R' | b'T' | b'U'
                ]
            ) {
                words.next();
            }
        }
        name = base_name(words.next()?);
    }
    if name == "chpasswd" {
        return Some(Reading::Login);
    }
    let reads = READERS.contains(&name)
        || READING_OPTIONS
            .iter()
            .any(|option| command.contains(option));
    reads.then_some(Reading::Password)
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().take_while(|byte| b" \t".contains(byte)).count()
}
