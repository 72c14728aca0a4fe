//! Tokens that are recognised by their own format: those in `tokens.txt`, and a few that need more than a pattern.

use super::scan::{before, tail_len};
use super::word::begins_token;
use crate::redact::engine::{Judge, Rule, Shown, TwoSecrets};
use regex::Regex;
use regex_syntax::hir::literal::Extractor;
use std::ops::Range;
use std::sync::LazyLock;

/// `ID.TIME.HMAC` of a bot of Discord, each in Base64: <https://discord.com/developers/docs/reference#authentication>.
const DISCORD: &str = r"[MNO][A-Za-z0-9]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}";

static STARTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    patterns()
        .flat_map(literal_starts)
        .chain(discord_starts())
        .collect()
});

static ANCHORS: LazyLock<Vec<&str>> = LazyLock::new(|| STARTS.iter().map(String::as_str).collect());

/// Starts of [`hexadecimal`] keys, with the first digit: `key-` alone also starts `key-value`.
static HEX_STARTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let starts = ["SK", "dapi", "key-"].into_iter();
    let with_digits =
        starts.flat_map(|start| (0..16).map(move |digit| format!("{start}{digit:x}")));
    with_digits.collect()
});

static HEX_ANCHORS: LazyLock<Vec<&str>> =
    LazyLock::new(|| HEX_STARTS.iter().map(String::as_str).collect());

pub(super) fn rules() -> [Rule; 4] {
    [
        Rule {
            anchors: &ANCHORS,
            judge: Judge::One(token),
        },
        Rule {
            anchors: &["AKIA", "ASIA"],
            judge: Judge::Two(aws),
        },
        Rule {
            anchors: &[":AA"],
            judge: Judge::One(telegram),
        },
        Rule {
            anchors: &HEX_ANCHORS,
            judge: Judge::One(hexadecimal),
        },
    ]
}

fn patterns() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("tokens.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Returns the literals with which all matches of a pattern start.
fn literal_starts(pattern: &str) -> Vec<String> {
    let hir = regex_syntax::parse(pattern).expect("a test compiles every pattern");
    let starts = Extractor::new().extract(&hir);
    let starts = starts.literals().unwrap_or_default().iter();
    let starts = starts.map(|start| String::from_utf8_lossy(start.as_bytes()).into_owned());
    starts.collect()
}

/// A token of Discord starts with a number in Base64: the id of the bot. Each digit is 0x30 to 0x39; three of them give
/// four characters, and no word of a language has such four.
fn discord_starts() -> impl Iterator<Item = String> {
    let ids = ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"].into_iter();
    let thirds = ids.flat_map(|id| "AEIMQUYcgk".chars().map(move |c| format!("{id}{c}")));
    thirds.flat_map(|start| "wxyz012345".chars().map(move |c| format!("{start}{c}")))
}

fn token(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        let patterns: Vec<&str> = patterns().chain([DISCORD]).collect();
        compiled(&format!("^(?:{})", patterns.join("|")))
    });
    whole_match(&PATTERN, shown, anchor.start)
}

/// `ID:KEY` of a bot, where the key has 35 characters: <https://core.telegram.org/bots/api#authorizing-your-bot>.
fn telegram(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    const MAX_ID_DIGITS: usize = 16;
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| compiled("^:AA[A-Za-z0-9_-]{33}"));
    let before = before(shown.text.as_bytes(), anchor.start, MAX_ID_DIGITS);
    let digits = tail_len(before, |byte| byte.is_ascii_digit());
    let found = PATTERN.find(&shown.text[anchor.start..]);
    let key = anchor.start + 1..anchor.start + found?.end();
    (digits >= 5 && !continues(shown, key.end, b"_-")).then_some(key)
}

/// The id of an API key of Twilio, <https://www.twilio.com/docs/glossary/what-is-a-sid>, and keys of Databricks and Mailgun.
fn hexadecimal(shown: Shown<'_>, anchor: Range<usize>) -> Option<Range<usize>> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        compiled("^(?:SK[0-9a-fA-F]{32}|dapi[0-9a-f]{32}(?:-[0-9])?|key-[0-9a-f]{32})")
    });
    let key = whole_match(&PATTERN, shown, anchor.start)?;
    (!continues(shown, key.end, b"_-")).then_some(key)
}

/// A key of Notion, after the name of secrets.
pub(super) fn notion(shown: Shown<'_>, start: usize) -> Option<Range<usize>> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| compiled("^secret_[A-Za-z0-9]{43}"));
    let key = whole_match(&PATTERN, shown, start)?;
    (!continues(shown, key.end, b"_-")).then_some(key)
}

/// The id of an access key, and the secret of 40 characters if it follows, as in tables and files from AWS.
fn aws(shown: Shown<'_>, anchor: Range<usize>) -> TwoSecrets {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        compiled(
            r#"^(A[KS]IA[A-Z0-9]{16})(?:["' \t]{0,3}[,:;|/ \t]["' \t]{0,8}([A-Za-z0-9/+]{40}))?"#,
        )
    });
    let captures = PATTERN.captures(&shown.text[anchor.start..]);
    let place = |group: usize| {
        let found = captures.as_ref()?.get(group)?;
        Some(anchor.start + found.start()..anchor.start + found.end())
    };
    let is_id = |id: &Range<usize>| !continues(shown, id.end, b"_");
    match place(1).filter(is_id) {
        Some(id) if begins_token(shown, anchor.start) => {
            let secret = place(2).filter(|secret| !continues(shown, secret.end, b"/+="));
            [Some(id), secret]
        }
        _ => TwoSecrets::default(),
    }
}

/// Returns whether a word goes on at `end`, with a letter, a digit or a byte of `more`.
fn continues(shown: Shown<'_>, end: usize, more: &[u8]) -> bool {
    let after = shown.after(end);
    after.is_some_and(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
}

fn whole_match(pattern: &Regex, shown: Shown<'_>, start: usize) -> Option<Range<usize>> {
    if !begins_token(shown, start) {
        return None;
    }
    let found = pattern.find(&shown.text[start..])?;
    Some(start..start + found.end())
}

fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a test compiles every pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_starts_with_something_rare() {
        for pattern in patterns() {
            compiled(pattern);
            let starts = literal_starts(pattern);
            let is_rare = |start: &String| start.len() >= 3;
            assert!(
                !starts.is_empty() && starts.iter().all(is_rare),
                "{pattern}: {starts:?}"
            );
        }
    }
}
