//! Passwords in the lines of protocols that people type: `PASS …`, `AUTH …`, `a1 LOGIN me …`, `CONFIG SET requirepass …`.

use super::assignment::blanks;
use super::placeholder::is_placeholder;
use super::word::Word;
use crate::redact::engine::{Rule, Shown, Verdict};
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
    judge,
};

/// How much before and after a line is read, in bytes.
const MAX_NEARBY_BYTES: usize = 512;

/// Maximum length of a word or a line, in bytes.
const MAX_LINE_BYTES: usize = 512;

/// Words after `AUTH` that are not passwords: mechanisms, and words of messages.
const NO_PASSWORDS: &[&str] = &[
    "login",
    "plain",
    "cram-md5",
    "digest-md5",
    "xoauth2",
    "oauthbearer",
    "ntlm",
    "gssapi",
    "external",
    "anonymous",
    "tls",
    "ssl",
    "tls-c",
    "tls-p",
    "failed",
    "failure",
    "required",
    "ok",
    "error",
    "success",
    "successful",
    "succeeded",
    "denied",
    "enabled",
    "disabled",
    "token",
    "method",
    "methods",
    "service",
    "server",
    "module",
    "key",
    "keys",
    "type",
    "complete",
    "completed",
    "expired",
    "invalid",
    "timeout",
    "user",
    "provider",
    "header",
    "status",
    "mode",
    "code",
];

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

fn judge(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
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
    let is_variable = |value: &[u8]| {
        let is_name = matches!(value, [b'$', name, ..] if name.is_ascii_alphabetic());
        is_name && anchor_quote == Some(b'"')
    };
    let secret = secret.filter(|secret| {
        let value = &bytes[secret.clone()];
        !is_placeholder(value) && !is_variable(value)
    });
    secret.into()
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
    let is_test = name.contains("test") || name.contains("spec") || name.contains("::");
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
    let has_prompt = bytes[..anchor.start].ends_with(b"> ");
    let is_hello = || {
        let before = &bytes[anchor.start.saturating_sub(8)..anchor.start].to_ascii_lowercase();
        before.ends_with(b"hello 3 ") || before.ends_with(b"hello 2 ")
    };
    let has_prompt = has_prompt || is_hello();
    if !has_prompt && !begins_line(shown, anchor.start) {
        return None;
    }
    let line = Line::after(bytes, anchor.end)?;
    let word = |at: usize| Some(lowercase(&bytes[line.words.get(at)?.clone()]));
    let is_known = |word: &str| NO_PASSWORDS.contains(&word) || word.starts_with("scram-");
    if word(0)?.starts_with('*') {
        return None; // a pointer in C: AUTH *auth
    }
    if is_known(&word(0)?) {
        let mechanism = is_upper(&bytes[line.words[0].clone()]) && word(0)? != "user";
        let password = line.only(2).filter(|_| mechanism)?;
        let is_list = is_known(&word(1)?);
        return (!is_list && is_base64(&bytes[password.clone()])).then_some(password);
    }
    let password = line.only(2).or_else(|| line.only(1))?;
    let is_shout = line
        .words
        .iter()
        .all(|word| bytes[word.clone()].iter().all(u8::is_ascii_uppercase));
    let is_command = is_upper(&bytes[anchor.clone()]) && !is_shout;
    let is_secret = has_prompt
        || is_command
        || (line.words.len() == 1
            && (line.is_all(anchor.start) || line.is_answered(&bytes[anchor.start..line.end])))
        || (line.is_all(anchor.start)
            && (word(0)? == "default" || is_mixed(&bytes[password.clone()])))
        || (line.is_answered(&bytes[anchor.start..line.end]) && is_mixed(&bytes[password.clone()]));
    is_secret.then_some(password)
}

/// `a1 LOGIN me hunter2` of IMAP.
fn login(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    let before = &bytes[anchor.start.saturating_sub(MAX_TAG_BYTES + 1)..anchor.start];
    let (b' ', tag) = before.split_last()? else {
        return None;
    };
    let tag_len = tag
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.')
        .count();
    let start = anchor.start - 1 - tag_len;
    let tag = &bytes[start..anchor.start - 1];
    let is_tag = tag.len() == 1 || tag.iter().any(u8::is_ascii_digit);
    if !is_tag || !begins_line(shown, start) {
        return None;
    }
    let line = Line::after(bytes, anchor.end)?;
    let password = line.only(2)?;
    let is_quoted = matches!(bytes[password.start - 1], b'"' | b'\'');
    let is_shout = line
        .words
        .iter()
        .all(|word| bytes[word.clone()].iter().all(u8::is_ascii_uppercase));
    let is_command = is_upper(&bytes[anchor]) && !is_shout;
    (is_quoted || is_command || is_mixed(&bytes[password.clone()])).then_some(password)
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
    let mut passwords = signs
        .filter(|at| *at > 0 && b" '\"".contains(&line[at - 1]))
        .map(|at| {
            let start = anchor.end + at + 1;
            let ends = |byte: &u8| byte.is_ascii_whitespace() || b"'\"".contains(byte);
            let len = bytes[start..].iter().position(ends);
            start..len.map_or(bytes.len(), |len| start + len)
        });
    passwords.find(|password| !is_placeholder(&bytes[password.clone()]))
}

/// `requirepass hunter2` in a configuration, `CONFIG SET requirepass hunter2`, and the answer to `CONFIG GET`.
fn of_setting(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = shown.text.as_bytes();
    if let Some(rest) = bytes[anchor.end..].strip_prefix(b"\"") {
        let newlines = rest
            .iter()
            .take(2)
            .take_while(|byte| b"\r\n".contains(byte))
            .count();
        let second = rest
            .get(newlines..)?
            .strip_prefix(b"2) ")
            .filter(|_| newlines > 0)?;
        return Some(Word::at(bytes, bytes.len() - second.len())?.content);
    }
    let before = &bytes[anchor.start.saturating_sub(12)..anchor.start].to_ascii_lowercase();
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
    let text = |from: usize| {
        Word::at(bytes, from + blanks(bytes, from)).filter(|word| word.quote.is_some())
    };
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

    /// Returns whether the text consists of this line, which starts at `start`.
    fn is_all(&self, start: usize) -> bool {
        let is_blank = |bytes: &[u8]| bytes.len() <= 4 && bytes.iter().all(u8::is_ascii_whitespace);
        is_blank(&self.bytes[..start]) && is_blank(&self.bytes[self.end..])
    }

    /// Returns whether the next line is what a server answers to a password. A terminal may show the line itself twice:
    /// as it was typed and as the program printed it.
    fn is_answered(&self, line: &[u8]) -> bool {
        let mut rest = &self.bytes[self.end..self.bytes.len().min(self.end + MAX_NEARBY_BYTES)];
        let mut breaks = line_breaks(rest);
        if breaks > 0
            && let Some(after) = rest[breaks..].strip_prefix(line)
        {
            (rest, breaks) = (after, line_breaks(after));
        }
        let next = &rest[breaks..];
        let is_code = matches!(next, [a, b, c, b' ' | b'-', ..] if [a, b, c].iter().all(|byte| byte.is_ascii_digit()));
        breaks > 0
            && (is_code
                || ANSWERS
                    .iter()
                    .any(|answer| next.starts_with(answer.as_bytes())))
    }
}

/// Returns how many characters end the line at the start of `text`, with at most one empty line after it.
fn line_breaks(text: &[u8]) -> usize {
    let breaks = text.iter().take(4);
    breaks.take_while(|byte| b"\r\n".contains(byte)).count()
}

/// Returns whether a line before `start` announces a password.
fn is_asked(bytes: &[u8], start: usize) -> bool {
    let window = &bytes[start.saturating_sub(MAX_NEARBY_BYTES)..start];
    let mut lines = window.split(|byte| b"\r\n".contains(byte));
    lines.any(|line| {
        ASKERS
            .iter()
            .any(|asker| line.starts_with(asker.as_bytes()))
    }) || ASKERS.iter().any(|asker| {
        // In a text for `printf`.
        let escaped = format!("\\n{asker}");
        let quoted = ["'", "\""].map(|quote| format!("{quote}{asker}"));
        std::iter::once(escaped)
            .chain(quoted)
            .any(|start| memchr::memmem::find(window, start.as_bytes()).is_some())
    })
}

/// Returns whether `at` is the start of a line, of a quoted text, or of a line in a text for `printf`.
fn begins_line(shown: Shown<'_>, at: usize) -> bool {
    matches!(shown.before(at), None | Some(b'\n' | b'\r' | b'"' | b'\''))
}

/// Returns whether `at` is the end of a line, of a quoted text, or of a line in a text for `printf`.
fn ends_line(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    matches!(rest, [] | [b'\n' | b'\r', ..] | [b'\\', b'r' | b'n', ..])
        || (at > 0
            && bytes[at - 1] > b' '
            && matches!(
                rest,
                [b'"' | b'\''] | [b'"' | b'\'', b' ' | b'\n' | b'\r' | b')', ..]
            ))
}

fn line_end(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start..bytes.len().min(start + MAX_LINE_BYTES)];
    start + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
}

/// The last word of a line that was cut at its limit may end inside a character.
fn lowercase(word: &[u8]) -> String {
    String::from_utf8_lossy(word).to_ascii_lowercase()
}

fn is_upper(word: &[u8]) -> bool {
    !word.iter().any(u8::is_ascii_lowercase)
}

fn is_mixed(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_digit) && word.iter().any(u8::is_ascii_alphabetic)
}

fn is_base64(word: &[u8]) -> bool {
    word.iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
}
