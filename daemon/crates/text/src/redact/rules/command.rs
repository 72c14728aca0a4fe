//! Passwords in options and arguments that only some commands have: `curl -u me:…`, `mysql -p…`, `htpasswd -b …`.

use super::command_table::{FORMS, Form};
use super::key::secret_key;
use super::placeholder::is_placeholder;
use super::scan::run_len;
use super::value::Quote;
use super::word::{Word, begins_word};
use crate::redact::engine::{Judge, Rule, Shown};
use std::ops::Range;

/// One anchor per command.
pub(super) const RULE: Rule = Rule {
    anchors: super::command_table::COMMANDS,
    judge: Judge::One(judge),
};

/// How far after a command the password is searched for, in bytes.
const MAX_COMMAND_BYTES: usize = 512;

/// Returns whether a program, perhaps with its directories, takes passwords as arguments.
pub(in crate::redact) fn takes_password(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_program = |(command, _): &(&str, _)| command.split(' ').next() == Some(name);
    FORMS.iter().any(is_program)
}

fn judge(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = shown.text;
    let bytes = text.as_bytes();
    if !begins_word(shown, anchor.start) {
        return None;
    }
    let is_meant = |name: &str| name.eq_ignore_ascii_case(&text[anchor.clone()]);
    let (_, options) = FORMS.iter().find(|(name, _)| is_meant(name))?;
    let end = command_end(bytes, anchor.end);
    // The first secret; the next pass finds the others.
    let blanks = memchr::memchr_iter(b' ', &bytes[anchor.end - 1..end]);
    let mut words = blanks.map(|blank| anchor.end + blank);
    words.find_map(|word| {
        // An option may be in quotes with its value: '-phunter2'.
        let quote = Quote::at(bytes, word);
        let begin = word + quote.map_or(0, Quote::len);
        let of_option = |(option, form): &(&str, Form)| {
            // Without an option, the form describes the arguments.
            if option.is_empty() {
                return (word == anchor.end).then(|| secret(bytes, word, end, None, *form))?;
            }
            let value = begin + option_len(bytes.get(begin..end)?, option, *form)?;
            secret(bytes, value, end, quote, *form)
        };
        options.iter().find_map(of_option)
    })
}

/// Returns where the command ends: at an operator, at a line break that is not escaped, or at the end of the quoted text
/// that it is in.
fn command_end(bytes: &[u8], start: usize) -> usize {
    let window = &bytes[start..bytes.len().min(start + MAX_COMMAND_BYTES)];
    let mut open = None;
    let is_over = |at: &usize| match window[*at] {
        b'|' | b';' => open.is_none(),
        b'\n' | b'\r' => !window[..*at].ends_with(b"\\") && !window[..*at].ends_with(b"\\\r"),
        quote @ (b'\'' | b'"') => match (open, at.checked_sub(1).map(|before| window[before])) {
            (_, Some(b'\\')) => false,
            (Some(opened), _) => {
                open = open.filter(|_| opened != quote);
                false
            }
            (None, before) => {
                let is_end = window.get(at + 1).is_none_or(u8::is_ascii_whitespace);
                let closes = is_end && before.is_some_and(|before| !before.is_ascii_whitespace());
                open = Some(quote);
                closes
            }
        },
        _ => false,
    };
    start + (0..window.len()).find(is_over).unwrap_or(window.len())
}

/// Returns the length of the option that `words` start with; `None` if they start with another word.
fn option_len(words: &[u8], option: &str, form: Form) -> Option<usize> {
    if words.starts_with(option.as_bytes()) {
        // `--user-agent` is another option than `--user`.
        let must_be_apart = option.starts_with("--");
        let is_apart = matches!(words.get(option.len()), Some(b' ' | b'='));
        return (is_apart || !must_be_apart).then_some(option.len());
    }
    // Among other flags: `curl -su me:…`.
    let [b'-', flag] = *option.as_bytes() else {
        return None;
    };
    let may_be_last = matches!(form, Form::After(_) | Form::Userinfo | Form::Required);
    if !may_be_last || words.first() != Some(&b'-') {
        return None;
    }
    let len = 1 + run_len(&words[1..], |byte| byte.is_ascii_alphabetic());
    (words[len - 1] == flag && words.get(len) == Some(&b' ')).then_some(len)
}

/// Returns the secret in the value that starts at `start`, after an option that `quote` precedes.
fn secret(
    bytes: &[u8],
    start: usize,
    end: usize,
    quote: Option<Quote>,
    form: Form,
) -> Option<Range<usize>> {
    let is_apart = matches!(bytes.get(start), Some(b' ' | b'='));
    let apart = start + usize::from(is_apart);
    let value = || match quote.filter(|_| bytes.get(start) != Some(&b' ')) {
        Some(quote) => Some(apart..quote.content_end(bytes, apart)),
        None => Some(Word::at(bytes, apart)?.content),
    };
    let secret = match form {
        Form::Attached if is_apart => return None,
        Form::Apart if !is_apart => return None,
        Form::Attached | Form::Apart | Form::Either | Form::Required => value()?,
        Form::After(separator) => part_of(bytes, value()?, separator, None)?,
        Form::Userinfo => part_of(bytes, value()?, b':', Some(b'@'))?,
        Form::Nth(index) => arguments(bytes, start, end).nth(index)?.content,
        Form::Named => {
            let mut arguments = arguments(bytes, start, end);
            let name = std::str::from_utf8(&bytes[arguments.next()?.content]).ok()?;
            secret_key(name)?;
            arguments.next()?.content
        }
        Form::Token => {
            let word = arguments(bytes, start, end).next()?.content;
            let is_assignment = bytes[word.clone()].contains(&b'=');
            (!is_assignment).then_some(word)?
        }
        Form::LastOfBatch => {
            let flags = bytes[start..end].split(|byte| *byte == b' ');
            let mut flags = flags.filter(|word| word.starts_with(b"-") && !word.starts_with(b"--"));
            flags.find(|word| word.contains(&b'b'))?;
            let mut last = arguments(bytes, start, end);
            // The user, and perhaps a file, come before it.
            last.next()?;
            last.last()?.content
        }
        Form::AfterShare => after_share(bytes, start, end)?,
        Form::Login => {
            let word = arguments(bytes, start, end).next()?.content;
            let login = &bytes[word.clone()];
            let slash = memchr::memchr(b'/', login).filter(|at| *at > 0)?;
            let host = memchr::memrchr(b'@', login).filter(|at| *at > slash);
            word.start + slash + 1..word.start + host.unwrap_or(login.len())
        }
    };
    let value = bytes.get(secret.clone())?;
    let may_be_option = is_apart && matches!(form, Form::Apart | Form::Either);
    let is_option = value == b"-" || may_be_option && value.starts_with(b"-");
    (!is_option && !is_placeholder(value)).then_some(secret)
}

/// Returns the part of a word after a separator, up to the last `end`; `None` if the word is a URL.
fn part_of(
    bytes: &[u8],
    word: Range<usize>,
    separator: u8,
    end: Option<u8>,
) -> Option<Range<usize>> {
    let value = &bytes[word.clone()];
    if memchr::memmem::find(value, b"://").is_some() {
        return None;
    }
    let end = end.map_or(Some(value.len()), |end| memchr::memrchr(end, value))?;
    let at = memchr::memchr(separator, &value[..end])?;
    Some(word.start + at + 1..word.start + end)
}

/// Returns the word after `//host/share`, unless other arguments follow.
fn after_share(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let starts_with = |word: &Word, start| bytes[word.content.clone()].starts_with(start);
    let mut words = words(bytes, start, end)
        .skip_while(|word| !starts_with(word, b"//") && !starts_with(word, br"\\"));
    words.next()?;
    let mut words = words.skip_while(|word| starts_with(word, b"/user:"));
    let word = words.next()?;
    let is_option = |word: &Word| starts_with(word, b"-") || starts_with(word, b"/");
    let is_last = words.next().is_none_or(|next| is_option(&next));
    (!is_option(&word) && is_last).then_some(word.content)
}

/// Returns the options and arguments.
fn words(bytes: &[u8], start: usize, end: usize) -> impl Iterator<Item = Word> {
    let mut at = start;
    std::iter::from_fn(move || {
        let blanks = run_len(&bytes[at..end], |byte| byte == b' ');
        let word = Word::at(bytes, at + blanks).filter(|word| word.end <= end)?;
        at = word.end;
        Some(word)
    })
}

fn arguments(bytes: &[u8], start: usize, end: usize) -> impl Iterator<Item = Word> {
    let mut is_value = false;
    words(bytes, start, end).filter(move |word| {
        let option = &bytes[word.content.clone()];
        let follows = std::mem::replace(&mut is_value, OPTIONS_WITH_VALUE.contains(&option));
        !follows && !option.starts_with(b"-")
    })
}

/// Options of the commands with such forms; the next word belongs to them.
const OPTIONS_WITH_VALUE: &[&[u8]] = &[b"-salt", b"-in", b"-n", b"-C", b"--registry"];
