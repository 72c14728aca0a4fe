//! Secrets in URLs.

use super::placeholder::is_placeholder;
use crate::redact::engine::{Rule, Shown, Verdict};
use std::ops::Range;

/// The password in `scheme://user:password@host`; the user and the host are kept. The address of a database goes as a
/// whole.
pub(super) const CREDENTIALS: Rule = Rule {
    anchors: &["://"],
    judge: credentials,
};

/// The path of a Slack or Discord webhook, which is enough to post there.
pub(super) const WEBHOOK: Rule = Rule {
    anchors: &[
        "hooks.slack.com/services/",
        "hooks.slack.com/workflows/",
        "hooks.slack.com/triggers/",
        "discord.com/api/webhooks/",
        "discordapp.com/api/webhooks/",
    ],
    judge: webhook,
};

/// The signature of a presigned URL of Azure or AWS.
pub(super) const SIGNATURE: Rule = Rule {
    anchors: &["sig=", "X-Amz-Signature="],
    judge: signature,
};

/// Minimum length of a secret path, in bytes: shorter ones are examples.
const MIN_WEBHOOK_BYTES: usize = 16;

/// Minimum length of a signature, in bytes: 256 bits have 43 characters in Base64.
const MIN_SIGNATURE_BYTES: usize = 24;

/// Schemes of databases. Their addresses also reveal where the data is.
const DATABASES: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "sqlserver",
    "mssql",
    "oracle",
    "cockroachdb",
    "clickhouse",
];

/// Maximum length of a scheme, in bytes.
const MAX_SCHEME_BYTES: usize = 32;

fn credentials(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    let bytes = shown.text.as_bytes();
    let has_scheme = bytes[..anchor.start]
        .last()
        .is_some_and(u8::is_ascii_alphanumeric);
    if !has_scheme {
        return Verdict::Innocent;
    }
    let mut colon = None;
    let mut at = None;
    for (offset, &byte) in bytes[anchor.end..].iter().enumerate() {
        match byte {
            b':' => colon = colon.or(Some(anchor.end + offset)),
            b'@' => at = Some(anchor.end + offset), // a password can contain @
            b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' => break,
            _ if byte <= b' ' => break,
            _ => {}
        }
    }
    let (Some(colon), Some(at)) = (colon, at.filter(|at| colon < Some(*at))) else {
        return Verdict::Innocent; // the colon, if any, comes before a port
    };
    let password = colon + 1..at;
    if password.is_empty() || is_placeholder(&bytes[password.clone()]) {
        return Verdict::Innocent;
    }
    if is_database(&bytes[..anchor.start]) {
        Verdict::Secret(anchor.end..address_end(bytes, at))
    } else {
        Verdict::Secret(password)
    }
}

/// Returns whether `before` ends with the scheme of a database: `postgres`, `mysql+pymysql`.
fn is_database(before: &[u8]) -> bool {
    let tail = &before[before.len().saturating_sub(MAX_SCHEME_BYTES)..];
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let scheme = tail.rsplit(|byte| !is_scheme(byte)).next();
    let name = scheme.and_then(|scheme| scheme.split(|byte| *byte == b'+').next());
    name.is_some_and(|name| {
        let name = name.to_ascii_lowercase();
        // The `n` of a `\n` that was not decoded may precede it.
        let ends_name = |known: &&str| name.ends_with(known.as_bytes());
        DATABASES.iter().any(ends_name)
    })
}

/// Returns the end of the address that `at` is in, without the punctuation of a sentence.
fn address_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| *byte <= b' ' || b"\"'`<>\\;|(){}[]".contains(byte);
    let rest = &bytes[at..];
    let address = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
    let closing = address
        .iter()
        .rev()
        .take_while(|byte| b".,:!".contains(byte));
    at + address.len() - closing.count()
}

fn webhook(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    let text = shown.text;
    let path = run(text, anchor.end, |byte| {
        byte.is_ascii_alphanumeric() || b"/_-".contains(&byte)
    });
    let has_digit = text.as_bytes()[path.clone()].iter().any(u8::is_ascii_digit);
    let is_secret = path.len() >= MIN_WEBHOOK_BYTES && has_digit;
    is_secret.then_some(path).into()
}

fn signature(shown: Shown<'_>, anchor: Range<usize>) -> Verdict {
    let text = shown.text;
    let is_parameter = matches!(
        text.as_bytes()[..anchor.start].last(),
        Some(b'?' | b'&' | b';')
    );
    if !is_parameter {
        return Verdict::Innocent; // before the value is read, since it may contain the next anchor
    }
    let value = run(text, anchor.end, |byte| {
        byte.is_ascii_alphanumeric() || b"%+/=_-".contains(&byte)
    });
    (value.len() >= MIN_SIGNATURE_BYTES).then_some(value).into()
}

fn run(text: &str, start: usize, belongs: impl Fn(u8) -> bool) -> Range<usize> {
    let rest = &text.as_bytes()[start..];
    start..start + rest.iter().take_while(|byte| belongs(**byte)).count()
}
