//! Passwords that a command reads from its input: `echo … | sudo -S`, `chpasswd <<< me:…`, `sudo -S <<EOF`, and `-passin pass:…`.

use super::placeholder::is_placeholder;
use super::scan::{after, before, is_blank, run_len};
use super::word::{Word, begins_word};
use crate::redact::engine::{Judge, Rule, Shown};
use std::borrow::Cow;
use std::ops::Range;

pub(super) const PIPED: Rule = Rule {
    anchors: &["echo ", "printf "],
    judge: Judge::One(piped),
};

pub(super) const HERE: Rule = Rule {
    anchors: &["<<<", "<<"],
    judge: Judge::One(here),
};

/// The form of a password in options of `openssl` and others: `-passin pass:…`.
pub(super) const PASS: Rule = Rule {
    anchors: &["pass:"],
    judge: Judge::One(pass),
};

/// How much of a command is read, in bytes.
const MAX_COMMAND_BYTES: usize = 256;

/// Maximum length of the option before `pass:`, in bytes.
const MAX_OPTION_BYTES: usize = 32;

/// Options of any command that reads a password or a token from its input.
const READING_OPTIONS: &[&str] = &["--password-stdin", "--with-token", "--passphrase-fd 0"];

/// What a command reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Password,
    /// `me:password`
    Login,
}

fn piped(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    begins_word(shown, anchor.start).then(|| printed(shown.text.as_bytes(), anchor.end))?
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
    let reading = reading(&command(bytes, at + 1))?;
    let (first, last) = (words.first()?, words.last()?);
    let is_format = words.len() > 1 && bytes[first.content.clone()].contains(&b'%');
    let first = if is_format { &words[1] } else { first };
    if first.end == last.end {
        return typed(bytes, first, reading);
    }
    let is_known = is_placeholder(&bytes[first.content.clone()]);
    (!is_known).then_some(first.content.start..last.content.end)
}

fn here(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    let window = before(bytes, anchor.start, MAX_COMMAND_BYTES);
    let is_before = |byte: &u8| b"\n\r;|&".contains(byte);
    let start = window.iter().rposition(is_before).map_or(0, |at| at + 1);
    // Arguments with blanks are quoted: in each of them, a command starts anew.
    let argument = ["' '", "\" \"", "' \"", "\" '"].iter();
    let argument = argument.filter_map(|border| memchr::memmem::rfind(window, border.as_bytes()));
    let start = argument.max().map_or(0, |at| at + 3).max(start);
    let line = String::from_utf8_lossy(&window[start..]);
    let mut command = &*line;
    // The shell's prompt.
    for prompt in ["$ ", "# ", "% ", "> "] {
        command = command.rsplit(prompt).next().unwrap_or(command);
    }
    let reading = reading(command)?;
    let start = anchor.end + blanks(bytes, anchor.end);
    let word = match anchor.len() {
        3 => Word::at(bytes, start),
        _ if window.ends_with(b"<") => None, // a part of `<<<`
        _ => first_line(bytes, start),
    };
    typed(bytes, &word?, reading)
}

/// Returns the first line of the text that `<<` announces; its last line has the word at `start`.
fn first_line(bytes: &[u8], start: usize) -> Option<Word> {
    let window = &bytes[..bytes.len().min(start + MAX_COMMAND_BYTES)];
    let is_break = |byte: &u8| b"\r\n".contains(byte);
    let is_indented = usize::from(window.get(start) == Some(&b'-'));
    let last = Word::at(window, start + is_indented)?;
    let end = last.end + window[last.end..].iter().position(is_break)?;
    let line = end + run_len(&window[end..], |byte| is_break(&byte));
    let line = line + blanks(window, line);
    let content = line..line + run_len(&bytes[line..], |byte| !is_break(&byte));
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

fn pass(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    let before = before(bytes, anchor.start, MAX_OPTION_BYTES);
    let quote_len = usize::from(before.last().is_some_and(|byte| b"'\"".contains(byte)));
    let (b' ' | b'=', before) = before[..before.len() - quote_len].split_last()? else {
        return None;
    };
    let option = before.rsplit(u8::is_ascii_whitespace).next()?;
    let is_option = option.starts_with(b"-") && memchr::memmem::find(option, b"pass").is_some();
    let word = Word::at(bytes, anchor.start - quote_len).filter(|_| is_option)?;
    let secret = anchor.end..word.content.end.max(anchor.end);
    (!is_placeholder(&bytes[secret.clone()])).then_some(secret)
}

fn command(bytes: &[u8], start: usize) -> Cow<'_, str> {
    let window = after(bytes, start, MAX_COMMAND_BYTES);
    let len = run_len(window, |byte| !b"\n\r;|&".contains(&byte));
    String::from_utf8_lossy(&window[..len])
}

/// Returns which secret a command reads from its input; `None` for other commands.
fn reading(command: &str) -> Option<Reading> {
    let mut words = command.split_ascii_whitespace().peekable();
    let mut name = base_name(words.next()?);
    if name == "sudo" {
        while let Some(option) = words.next_if(|word| word.starts_with('-')) {
            if option == "--stdin" || (!option.starts_with("--") && option.contains('S')) {
                return Some(Reading::Password);
            }
            // These take a value.
            if matches!(option.as_bytes(), [b'-', flag] if b"ugphCrtDRTU".contains(flag)) {
                words.next();
            }
        }
        name = base_name(words.next()?);
    }
    if name == "chpasswd" {
        return Some(Reading::Login);
    }
    let is_reader = matches!(
        name,
        "passwd" | "su" | "kinit" | "cryptsetup" | "smbpasswd" | "vncpasswd"
    );
    let has_option = || {
        READING_OPTIONS
            .iter()
            .any(|option| command.contains(option))
    };
    (is_reader || has_option()).then_some(Reading::Password)
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    run_len(&bytes[at..], is_blank)
}
