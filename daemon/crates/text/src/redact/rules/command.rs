//! Passwords in options that only some commands have: `curl -u me:…`, `mysql -p…`, `sshpass -p …`.

use super::placeholder::is_placeholder;
use super::value::{Ending, Quote, bare_end};
use crate::redact::engine::{Rule, Shown, Verdict};
use std::ops::Range;

/// One anchor per command; [`FORMS`] lists its options.
pub(super) const RULE: Rule = Rule {
    anchors: &[
        "curl ",
        "wget ",
        "mysql ",
        "mysqldump ",
        "mysqladmin ",
        "mariadb ",
        "sshpass ",
        "docker login ",
        "podman login ",
        "redis-cli ",
    ],
    judge,
};

/// How far after a command the password is searched for, in bytes.
const MAX_COMMAND_BYTES: usize = 256;

/// A command, the option, and the form of what follows.
const FORMS: &[(&str, &str, Form)] = &[
    ("curl ", "-u", Form::UserAndPassword),
    ("curl ", "--user", Form::UserAndPassword),
    ("curl ", "--proxy-user", Form::UserAndPassword),
    ("curl ", "-U", Form::UserAndPassword),
    ("mysql", "-p", Form::Attached),
    ("mariadb ", "-p", Form::Attached),
    ("sshpass ", "-p", Form::Either),
    ("docker login ", "-p", Form::Either),
    ("podman login ", "-p", Form::Either),
    ("redis-cli ", "-a", Form::Either),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `-u user:password`
    UserAndPassword,
    /// `-ppassword`; the next word is something else.
    Attached,
    /// `-ppassword` and `-p password`.
    Either,
}

fn judge(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    let text = shown.text;
    let bytes = text.as_bytes();
    let before = shown.before(anchor.start);
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)) {
        return Verdict::Innocent;
    }
    let command = text[anchor.clone()].to_ascii_lowercase();
    let forms = FORMS.iter().filter(|(name, ..)| command.starts_with(name));
    let window = &bytes[anchor.end..bytes.len().min(anchor.end + MAX_COMMAND_BYTES)];
    let is_over = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'|' | b';');
    let end = anchor.end + window.iter().position(is_over).unwrap_or(window.len());
    let mut found: Option<Range<usize>> = None;
    for (_, option, form) in forms {
        let secret = of_option(bytes, anchor.end - 1..end, option.as_bytes(), *form);
        // The first secret; the next pass finds the others.
        found = found
            .into_iter()
            .chain(secret)
            .min_by_key(|secret| secret.start);
    }
    found.into()
}

/// Returns the secret after the first ` option` in this part of the text.
fn of_option(bytes: &[u8], part: Range<usize>, option: &[u8], form: Form) -> Option<Range<usize>> {
    for blank in part.filter(|&at| bytes[at] == b' ') {
        let after = blank + 1 + option.len();
        if !bytes[blank + 1..].starts_with(option) {
            continue;
        }
        if let Some(secret) = value(bytes, after, form) {
            return Some(secret);
        }
    }
    None
}

fn value(bytes: &[u8], after: usize, form: Form) -> Option<Range<usize>> {
    let is_apart = matches!(bytes.get(after), Some(b' ' | b'='));
    let start = match form {
        Form::Attached if is_apart => return None,
        Form::UserAndPassword if !is_apart => return None,
        _ => after + usize::from(is_apart),
    };
    let word = match Quote::at(bytes, start) {
        Some(quote) => {
            let inner = start + quote.len();
            inner..quote.content_end(bytes, inner)
        }
        None => start..bare_end(bytes, start, Ending::Operator),
    };
    let secret = if form == Form::UserAndPassword {
        // This is a URL, not a user.
        if memchr::memmem::find(&bytes[word.clone()], b"://").is_some() {
            return None;
        }
        let colon = bytes[word.clone()].iter().position(|byte| *byte == b':')?;
        word.start + colon + 1..word.end
    } else {
        word
    };
    let is_option = bytes.get(secret.start) == Some(&b'-');
    let shown = bytes.get(secret.clone())?;
    (!is_option && !is_placeholder(shown)).then_some(secret)
}
