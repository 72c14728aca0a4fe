//! Replaces what differs from run to run by names: times, ids, addresses, temporary files, home directories.

use super::cursor::{Cursor, is_word};
use super::process_id::process_id_at;
use std::borrow::Cow;
use std::ops::Range;

/// Directories of temporary files.
const TEMPORARY: [&[u8]; 7] = [
    b"/tmp/",
    b"/var/tmp/",
    b"/var/folders/",
    b"/dev/shm/",
    b"/private/tmp/",
    b"/private/var/tmp/",
    b"/private/var/folders/",
];

/// Directories with a home directory for each user.
const HOMES: [&[u8]; 2] = [b"/home/", b"/Users/"];

const MONTHS: [&[u8; 3]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

const WEEKDAYS: [&[u8; 3]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];

/// Returns `text` with `<time>`, `<uuid>`, `<hex>`, `<pid>`, `<tmp>` and `~` in place of such values.
/// Nothing is taken for an id by its letters or digits alone: `defaced`, `20260101` and `3.14` are kept, and so is a
/// date without a time.
pub fn scrub(text: &str) -> Cow<'_, str> {
    replaced(text, volatile_at)
}

/// Returns `text` with `~` in place of the home directories at the start of paths, and everything else unchanged.
/// A home directory at the end of a path is kept, because then the path means that directory itself.
pub(super) fn from_home(text: &str) -> Cow<'_, str> {
    replaced(text, |at| {
        let is_path = at.rest().starts_with(b"/") && begins_path(at);
        let end = is_path.then(|| home_end(at)).flatten()?;
        (at.bytes.get(end) == Some(&b'/')).then_some((at.at..end, "~"))
    })
}

/// Replaces each range that `found_at` returns by the text that it returns with it.
fn replaced(
    text: &str,
    found_at: impl Fn(Cursor<'_>) -> Option<(Range<usize>, &'static str)>,
) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut clean = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < bytes.len() {
        let Some((range, mark)) = found_at(Cursor { bytes, at }) else {
            at += 1;
            continue;
        };
        clean.push_str(&text[copied..range.start]);
        clean.push_str(mark);
        copied = range.end;
        at = range.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(&text[copied..]);
    Cow::Owned(clean)
}

/// Returns the position of a value at `at` that differs from run to run, and its name.
fn volatile_at(at: Cursor<'_>) -> Option<(Range<usize>, &'static str)> {
    let first = at.bytes[at.at];
    if first == b'/' {
        return path_at(at);
    }
    if let Some(range) = process_id_at(at) {
        return Some((range, "<pid>"));
    }
    if !first.is_ascii_alphanumeric() || at.before().is_some_and(is_word) {
        return None;
    }
    let named = |end: Cursor<'_>, name| (at.at..end.at, name);
    // A UUID comes before a hexadecimal number, because it may start like one.
    if first.is_ascii_hexdigit()
        && let Some(end) = uuid(at)
    {
        return Some(named(end, "<uuid>"));
    }
    match first {
        b'0'..=b'9' => hexadecimal(at).map(|end| named(end, "<hex>")).or_else(|| {
            let date = numeric_date(at).or_else(|| named_date(at));
            let end = date.or_else(|| clock(at, true)?.word_end())?;
            Some(named(end, "<time>"))
        }),
        b'A'..=b'Z' => named_date(at).map(|end| named(end, "<time>")),
        _ => None,
    }
}

fn uuid(at: Cursor<'_>) -> Option<Cursor<'_>> {
    let mut end = at.run(8, 8, u8::is_ascii_hexdigit)?;
    for digits in [4, 4, 4, 12] {
        end = end.one_of(b"-")?;
        end = end.run(digits, digits, u8::is_ascii_hexdigit)?;
    }
    end.word_end()
}

fn hexadecimal(at: Cursor<'_>) -> Option<Cursor<'_>> {
    let digits = at.one_of(b"0")?.one_of(b"xX")?;
    digits.run(1, usize::MAX, u8::is_ascii_hexdigit)?.word_end()
}

/// `12:34:56.789`; after a date, seconds may be missing.
fn clock<'a>(at: Cursor<'a>, needs_seconds: bool) -> Option<Cursor<'a>> {
    let sixty = |at: Cursor<'a>| at.one_of(b":")?.number(2, 60);
    let minutes = sixty(at.number(1, 23)?)?;
    let end = match sixty(minutes) {
        None if needs_seconds => return None,
        seconds => seconds.unwrap_or(minutes),
    };
    Some(end.maybe(|end| end.one_of(b".,")?.digits(1, 9)))
}

/// `2026-01-31T12:34:56.789+01:00`, `2026/01/31 12:34`.
fn numeric_date(at: Cursor<'_>) -> Option<Cursor<'_>> {
    let mut end = at.digits(4, 4)?;
    for _ in 0..2 {
        end = end.one_of(b"-/")?.digits(2, 2)?;
    }
    clock(end.one_of(b"Tt _")?, false)?.maybe(zone).word_end()
}

/// `Sat Jan 31 12:34:56 UTC 2026`, `Jan  3 12:34:56`, `Sat, 31 Jan 2026 12:34:56 +0000`.
fn named_date<'a>(at: Cursor<'a>) -> Option<Cursor<'a>> {
    let blanks = |at: Cursor<'a>| at.run(1, 2, |byte| *byte == b' ');
    let comma = |at: Cursor<'a>| at.one_of(b",");
    let at = at.maybe(|at| blanks(at.name(&WEEKDAYS)?.maybe(comma)));
    let month_first = || blanks(at.name(&MONTHS)?)?.digits(1, 2);
    let day_first = || blanks(at.digits(1, 2)?)?.name(&MONTHS);
    let date = month_first().or_else(day_first)?.maybe(comma);
    let time = blanks(date)?.maybe(|at| blanks(at.digits(4, 4)?));
    let end = clock(time, false)?.maybe(zone);
    end.maybe(|end| blanks(end)?.digits(4, 4)).word_end()
}

/// `Z`, `+01:00`, ` -0500`, ` UTC`.
fn zone<'a>(at: Cursor<'a>) -> Option<Cursor<'a>> {
    if let Some(end) = at.one_of(b"Zz") {
        return Some(end);
    }
    let at = at.maybe(|at| at.one_of(b" "));
    if let Some(sign) = at.one_of(b"+-") {
        let minutes = |hours: Cursor<'a>| hours.maybe(|at| at.one_of(b":")).digits(2, 2);
        return Some(sign.digits(2, 2)?.maybe(minutes));
    }
    at.run(3, 4, u8::is_ascii_uppercase)?.word_end()
}

fn path_at(at: Cursor<'_>) -> Option<(Range<usize>, &'static str)> {
    if !begins_path(at) {
        return None;
    }
    let rest = at.rest();
    if let Some(folder) = TEMPORARY.iter().find(|folder| rest.starts_with(folder)) {
        let len = path_len(rest);
        return (len > folder.len()).then_some((at.at..at.at + len, "<tmp>"));
    }
    home_end(at).map(|end| (at.at..end, "~"))
}

/// True when the slash at `at` is the start of a path.
fn begins_path(at: Cursor<'_>) -> bool {
    let goes_on = |byte: u8| is_word(byte) || b"/.-~+".contains(&byte);
    !at.before().is_some_and(goes_on) || at.bytes[..at.at].ends_with(b"://")
}

/// Returns the end of the home directory with which the path at `at` starts.
fn home_end(at: Cursor<'_>) -> Option<usize> {
    if let Some(user) = at.any_text(&HOMES) {
        let path = user.rest();
        let mut names = path[..path_len(path)].split(|byte| *byte == b'/');
        let len = names.next().map_or(0, <[u8]>::len);
        return (len > 0).then_some(user.at + len);
    }
    let end = at.text(b"/root")?;
    let is_end = |byte: &u8| *byte == b'/' || ends_path(*byte);
    end.rest().first().is_none_or(is_end).then_some(end.at)
}

/// Returns the length of the path at the start of `rest`; dots and commas at its end belong to the sentence.
fn path_len(rest: &[u8]) -> usize {
    let end = rest.iter().position(|byte| ends_path(*byte));
    let path = &rest[..end.unwrap_or(rest.len())];
    let sentence = path.iter().rev().take_while(|byte| **byte == b'.');
    path.len() - sentence.count()
}

fn ends_path(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f || b"\"'`:;,()<>|&[]{}$#*?!\\".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_changes_from_run_to_run_goes() {
        #[rustfmt::skip]
        let rows = [
            ("at 2026-01-31T12:34:56.789Z ok", "at <time> ok"),
            ("2026-01-31 12:34:56,123+01:00|", "<time>|"),
            ("[2026/01/31 12:34]", "[<time>]"),
            ("12:34:56> ", "<time>> "),
            ("Sun Nov 22 18:17:13 UTC 2026", "<time>"),
            ("Jan  3 02:04:05 host x", "<time> host x"),
            ("Date: Sat, 31 Jan 2026 12:34:56 +0000", "Date: <time>"),
            ("id 123e4567-e89b-12d3-a456-426614174000.", "id <uuid>."),
            ("0x7ffd3c2a, 0X1f", "<hex>, <hex>"),
            ("deadbeef-dead-beef-dead-beefdeadbeef", "<uuid>"),
            ("pid 1234, PID=5, \"pid\": 77", "pid <pid>, PID=<pid>, \"pid\": <pid>"),
            ("open /tmp/tmp.a8Xk/x.db: no", "open <tmp>: no"),
            ("file:///var/folders/ab/cd/T/x.", "file://<tmp>."),
            ("/home/ann/src$ ", "~/src$ "),
            ("/Users/ann> /root /root/x", "~> ~ ~/x"),
        ];
        for (text, clean) in rows {
            assert_eq!(scrub(text), clean, "{text}");
        }
    }

    #[test]
    fn of_paths_alone_only_whose_home_they_are_below_goes() {
        for (text, clean) in [
            ("/home/ann/a.sh", "~/a.sh"),
            ("--db=/Users/ann/x.db", "--db=~/x.db"),
            ("/root/a:/home/bob/b", "~/a:~/b"),
            ("file:///home/ann/x", "file://~/x"),
        ] {
            assert_eq!(from_home(text), clean, "{text}");
        }
        #[rustfmt::skip]
        let texts = [
            "/tmp/w/d1/a.sh", "0x1234", "12:30:45", "123e4567-e89b-12d3-a456-426614174000", "2026-01-31T12:34:56Z",
            "pid 12", "/home/ann", "/root", "/srv/home/ann/x",
        ];
        for text in texts {
            assert!(matches!(from_home(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn innocent_text_stays() {
        for text in [
            "defaced cafebabe 0xyz x0x12",
            "20260101 1234567890123456 3.14159 1e10",
            "2026-01-31",
            "25:00:00 1:2:3 10:20 12:34:567",
            "rapid 5, pids 5, pid x, pid",
            "123e4567-e89b-12d3-a456-42661417400",
            "/tmp /tmp/ a/tmp/b /home /home/ /rooted /roots/x",
            "May 5 people, Mar 3 of 12:30",
            "d41d8cd98f00b204e9800998ecf8427e",
            "é/tmp/x 1é0x12",
        ] {
            assert!(
                matches!(scrub(text), Cow::Borrowed(_)),
                "{text}: {}",
                scrub(text)
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(
            text in "([0-9]{1,4}|[-:/T .Z+]|pid|/tmp/|/home/|/root|0x|[a-f]{1,3}|Jan|Sun|é|.){0,30}"
        ) {
            scrub(&text);
            from_home(&text);
        }
    }
}
