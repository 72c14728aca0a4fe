//! Passwords in the lines of protocols that people type: `PASS …`, `AUTH …`, `a1 LOGIN me …`, `CONFIG SET requirepass …`.

use super::placeholder::is_placeholder;
use super::scan::{after, before, blanks, is_mixed, run_len, tail_len};
use super::word::Word;
use crate::redact::engine::{Judge, Rule, Shown};
use crate::words::{WordList, words};
use std::ops::Range;

pub(super) const RULE: Rule = Rule {
    anchors: &[
        "pass ",
        "auth ",
        "login ",
        "requirepass",
        "masterauth",
        "auth-pass ",
        "acl setuser ",
        "nickserv ",
        "auth=(",
        ".auth(",
        "changeuserpassword(",
    ],
    judge: Judge::One(judge),
};

/// How much before and after a line is read, in bytes.
const MAX_NEARBY_BYTES: usize = 512;

/// Maximum length of a word or a line, in bytes.
const MAX_LINE_BYTES: usize = 512;

/// Words after `AUTH` that are not passwords: mechanisms, and words of messages.
static NO_PASSWORDS: WordList = WordList::new(|| words(include_str!("words/after_auth.txt")));

/// Starts of lines with which a server answers a password.
const ANSWERS: &[&str] = &[
    "+OK",
    "-ERR",
    "OK",
    "(error)",
    "-WRONGPASS",
    "NICK ",
    "USER ",
    "CAP ",
];

/// Starts of lines before a password.
const ASKERS: &[&str] = &["USER ", "user ", "NICK ", "331 "];

/// A line that ends after some words.
struct Line<'a> {
    bytes: &'a [u8],
    words: Vec<Range<usize>>,
    end: usize,
}

fn judge(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = shown.text;
    let bytes = text.as_bytes();
    let word = text[anchor.clone()].to_ascii_lowercase();
    let anchor_quote = shown.before(anchor.start);
    let secret = match word.as_str() {
        "pass " => pass(shown, anchor),
        "auth " => auth(shown, anchor),
        "login " => login(shown, anchor),
        "nickserv " => identify(bytes, anchor),
        "acl setuser " => of_acl(bytes, anchor),
        "auth-pass " => Line::after(bytes, anchor.end).and_then(|line| line.only(2)),
        "requirepass" | "masterauth" => of_setting(shown, anchor),
        _ => second_text(bytes, anchor),
    };
    secret.filter(|secret| {
        let value = &bytes[secret.clone()];
        let is_name = matches!(value, [b'$', name, ..] if name.is_ascii_alphabetic());
        let is_quoted_name = is_name && anchor_quote == Some(b'"');
        !is_placeholder(value) && !is_quoted_name
    })
}

/// `PASS hunter2` of FTP, POP3 and IRC. Test runners print lines that start with PASS as well, so the lines around it
/// count, unless it is all there is, such as an input.
fn pass(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    if !begins_line(shown, anchor.start) {
        return None;
    }
    let line = Line::after(bytes, anchor.end)?;
    let password = line.only(1)?;
    let name = lowercase(&bytes[password.clone()]);
    let is_test = ["test", "spec", "::"]
        .iter()
        .any(|part| name.contains(part));
    let is_file = name.contains('/') || name.rfind('.').is_some_and(|dot| name.len() - dot <= 4);
    // `pass gmail` shows what a password manager keeps.
    let is_command = || is_upper(&bytes[anchor.clone()]) || is_mixed(&bytes[password.clone()]);
    let is_alone = || is_command() && !is_test && !is_file && line.is_all(anchor.start);
    let is_answered = || line.is_answered(&bytes[anchor.start..line.end]);
    (is_answered() || is_asked(bytes, anchor.start) || is_alone()).then_some(password)
}

/// `AUTH hunter2` and `AUTH me hunter2` of Redis, `AUTH PLAIN …` of SMTP.
fn auth(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    let before = before(bytes, anchor.start, "hello 3 ".len()).to_ascii_lowercase();
    let has_prompt = before.ends_with(b"> ") || matches!(&*before, b"hello 2 " | b"hello 3 ");
    if !has_prompt && !begins_line(shown, anchor.start) {
        return None;
    }
    let line = Line::after(bytes, anchor.end)?;
    let first = lowercase(&bytes[line.words[0].clone()]);
    let is_known = |word: &str| NO_PASSWORDS.contains(&word) || word.starts_with("scram-");
    if first.starts_with('*') {
        return None; // a pointer in C: AUTH *auth
    }
    if is_known(&first) {
        let is_mechanism = is_upper(&bytes[line.words[0].clone()]) && first != "user";
        let password = line.only(2).filter(|_| is_mechanism)?;
        let word = &bytes[password.clone()];
        return (!is_known(&lowercase(word)) && is_base64(word)).then_some(password);
    }
    let password = line.only(2).or_else(|| line.only(1))?;
    let is_mixed = is_mixed(&bytes[password.clone()]);
    let is_single = line.words.len() == 1 || is_mixed;
    let is_secret = has_prompt
        || line.is_command(&bytes[anchor.clone()])
        || (line.is_all(anchor.start) && (is_single || first == "default"))
        || (is_single && line.is_answered(&bytes[anchor.start..line.end]));
    is_secret.then_some(password)
}

/// `a1 LOGIN me hunter2` of IMAP.
fn login(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    let before = before(bytes, anchor.start, MAX_TAG_BYTES + 1).strip_suffix(b" ")?;
    let tag_len = tail_len(before, |byte| byte.is_ascii_alphanumeric() || byte == b'.');
    let tag = &before[before.len() - tag_len..];
    let start = anchor.start - 1 - tag_len;
    let is_tag = tag.len() == 1 || tag.iter().any(u8::is_ascii_digit);
    if !is_tag || !begins_line(shown, start) {
        return None;
    }
    let line = Line::after(bytes, anchor.end)?;
    let password = line.only(2)?;
    let is_quoted = matches!(bytes[password.start - 1], b'"' | b'\'');
    let is_command = || line.is_command(&bytes[anchor]) || is_mixed(&bytes[password.clone()]);
    (is_quoted || is_command()).then_some(password)
}

/// Maximum length of an IMAP tag, in bytes.
const MAX_TAG_BYTES: usize = 8;

/// `/msg NickServ IDENTIFY hunter2`, `PRIVMSG NickServ :IDENTIFY me hunter2`
fn identify(bytes: &[u8], anchor: Range<usize>) -> Option<Range<usize>> {
    let start = anchor.end + usize::from(bytes.get(anchor.end) == Some(&b':'));
    let line = Line::after(bytes, start)?;
    let verb = bytes[line.words.first()?.clone()].to_ascii_lowercase();
    match verb.as_slice() {
        b"identify" => line.only(2).or_else(|| line.only(3)),
        b"register" => line.words.get(1).cloned(),
        _ => None,
    }
}

/// `ACL SETUSER me on >hunter2`
fn of_acl(bytes: &[u8], anchor: Range<usize>) -> Option<Range<usize>> {
    let line = &bytes[anchor.end..line_end(bytes, anchor.end)];
    let signs = memchr::memchr2_iter(b'>', b'<', line);
    let signs = signs.filter(|at| *at > 0 && b" '\"".contains(&line[at - 1]));
    let mut passwords = signs.map(|at| {
        let start = anchor.end + at + 1;
        let is_part = |byte: u8| !byte.is_ascii_whitespace() && !b"'\"".contains(&byte);
        start..start + run_len(&bytes[start..], is_part)
    });
    passwords.find(|password| !is_placeholder(&bytes[password.clone()]))
}

/// `requirepass hunter2` in a configuration, `CONFIG SET requirepass hunter2`, and the answer to `CONFIG GET`.
fn of_setting(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    if let Some(rest) = bytes[anchor.end..].strip_prefix(b"\"") {
        let newlines = run_len(after(rest, 0, 2), is_break);
        let second = rest[newlines..].strip_prefix(b"2) ");
        let second = second.filter(|_| newlines > 0)?;
        return Some(Word::at(bytes, bytes.len() - second.len())?.content);
    }
    let before = before(bytes, anchor.start, "config set ".len()).to_ascii_lowercase();
    let is_set = before.ends_with(b"set ") || before.ends_with(b"--");
    if !(is_set || begins_line(shown, anchor.start)) || !bytes[anchor.end..].starts_with(b" ") {
        return None;
    }
    let line = Line::after(bytes, anchor.end)?;
    if before.ends_with(b"--") || before.ends_with(b"config set ") {
        return line.words.first().cloned();
    }
    line.only(1)
}

/// `db.auth("me", "hunter2")`, `auth=("me", "hunter2")`
fn second_text(bytes: &[u8], anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = &bytes[..bytes.len().min(anchor.end + MAX_LINE_BYTES)];
    let word = |from: usize| Word::at(bytes, from + blanks(bytes, from));
    let text = |from: usize| word(from).filter(|word| word.quote.is_some());
    let first = text(anchor.end)?;
    let comma = first.end + blanks(bytes, first.end);
    let second = text(comma + 1).filter(|_| bytes.get(comma) == Some(&b','))?;
    Some(second.content)
}

impl<'a> Line<'a> {
    /// Reads the first words from `start` to the end of the line.
    fn after(bytes: &'a [u8], start: usize) -> Option<Self> {
        const MAX_WORDS: usize = 4;
        let mut at = start;
        let mut words = Vec::new();
        let head = &bytes[..bytes.len().min(start + MAX_LINE_BYTES)];
        while words.len() < MAX_WORDS && !ends_line(head, at) {
            at += blanks(head, at);
            let quoted = Word::at(head, at).filter(|word| word.quote.is_some());
            let content = match quoted {
                // A quote that nothing closes ends the text of a program: 'PASS ' + password.
                Some(word) if word.end == word.content.end => return None,
                Some(word) => {
                    at = word.end;
                    word.content
                }
                None => {
                    let len = (at..head.len()).find(|at| head[*at] <= b' ' || ends_line(head, *at));
                    let content = at..len.unwrap_or(head.len());
                    at = content.end;
                    content
                }
            };
            if content.is_empty() {
                break;
            }
            words.push(content);
        }
        at += blanks(bytes, at);
        (!words.is_empty()).then_some(Self {
            bytes,
            words,
            end: at,
        })
    }

    /// Returns the last word if the line has this many.
    fn only(&self, count: usize) -> Option<Range<usize>> {
        let is_all = self.words.len() == count && ends_line(self.bytes, self.end);
        self.words.last().filter(|_| is_all).cloned()
    }

    /// Returns whether it is a command in capitals, with something that is not.
    fn is_command(&self, name: &[u8]) -> bool {
        let mut words = self.words.iter().map(|word| &self.bytes[word.clone()]);
        is_upper(name) && !words.all(|word| word.iter().all(u8::is_ascii_uppercase))
    }

    /// Returns whether the text consists of this line, which starts at `start`.
    fn is_all(&self, start: usize) -> bool {
        let is_blank = |bytes: &[u8]| bytes.len() <= 4 && bytes.iter().all(u8::is_ascii_whitespace);
        is_blank(&self.bytes[..start]) && is_blank(&self.bytes[self.end..])
    }

    /// Returns whether the next line is what a server answers to a password. A terminal may show the line itself twice:
    /// as it was typed and as the program printed it.
    fn is_answered(&self, line: &[u8]) -> bool {
        let mut rest = after(self.bytes, self.end, MAX_NEARBY_BYTES);
        let mut breaks = line_breaks(rest);
        if breaks > 0
            && let Some(after) = rest[breaks..].strip_prefix(line)
        {
            (rest, breaks) = (after, line_breaks(after));
        }
        let next = &rest[breaks..];
        let is_code = matches!(next, [a, b, c, b' ' | b'-', ..] if [a, b, c].iter().all(|byte| byte.is_ascii_digit()));
        breaks > 0 && (is_code || starts_with_one_of(next, ANSWERS))
    }
}

/// Returns how many characters end the line at the start of `text`, with at most one empty line after it.
fn line_breaks(text: &[u8]) -> usize {
    run_len(after(text, 0, 4), is_break)
}

/// Returns whether a line before `start` announces a password.
fn is_asked(bytes: &[u8], start: usize) -> bool {
    let window = before(bytes, start, MAX_NEARBY_BYTES);
    let mut lines = window.split(|byte| is_break(*byte));
    // In a text for `printf`.
    let mut printed = ["\\n", "'", "\""].iter().flat_map(|start| {
        let askers = ASKERS.iter();
        askers.map(move |asker| format!("{start}{asker}"))
    });
    lines.any(|line| starts_with_one_of(line, ASKERS))
        || printed.any(|asker| memchr::memmem::find(window, asker.as_bytes()).is_some())
}

fn starts_with_one_of(text: &[u8], starts: &[&str]) -> bool {
    let is_start = |start: &&str| text.starts_with(start.as_bytes());
    starts.iter().any(is_start)
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// Returns whether `at` is the start of a line, of a quoted text, or of a line in a text for `printf`.
fn begins_line(shown: Shown<'_>, at: usize) -> bool {
    matches!(shown.before(at), None | Some(b'\n' | b'\r' | b'"' | b'\''))
}

/// Returns whether `at` is the end of a line, of a quoted text, or of a line in a text for `printf`.
fn ends_line(bytes: &[u8], at: usize) -> bool {
    let follows_word = at > 0 && bytes.get(at - 1).is_some_and(|byte| *byte > b' ');
    match bytes.get(at..).unwrap_or_default() {
        [] | [b'\n' | b'\r', ..] | [b'\\', b'r' | b'n', ..] => true,
        [b'"' | b'\''] | [b'"' | b'\'', b' ' | b'\n' | b'\r' | b')', ..] => follows_word,
        _ => false,
    }
}

fn line_end(bytes: &[u8], start: usize) -> usize {
    start + run_len(after(bytes, start, MAX_LINE_BYTES), |byte| !is_break(byte))
}

/// The last word of a line that was cut at its limit may end inside a character.
fn lowercase(word: &[u8]) -> String {
    String::from_utf8_lossy(word).to_ascii_lowercase()
}

fn is_upper(word: &[u8]) -> bool {
    !word.iter().any(u8::is_ascii_lowercase)
}

fn is_base64(word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    word.iter().all(is_part)
}
