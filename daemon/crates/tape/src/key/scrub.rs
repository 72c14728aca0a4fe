//! Replaces what differs from run to run by names: times, ids, addresses, temporary files, home directories.

use super::bytes::{at_word_end, count, is_word};
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
    replaced(text, |bytes, at| {
        let is_path = bytes[at] == b'/' && begins_path(bytes, at);
        let end = is_path.then(|| home_end(bytes, at)).flatten()?;
        (bytes.get(end) == Some(&b'/')).then_some((at..end, "~"))
    })
}

/// Replaces each range that `found_at` returns by the text that it returns with it.
fn replaced(
    text: &str,
    found_at: impl Fn(&[u8], usize) -> Option<(Range<usize>, &'static str)>,
) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut clean = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < bytes.len() {
        let Some((range, mark)) = found_at(bytes, at) else {
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

/// Returns the end of a value at `at` that differs from run to run, and its name.
fn volatile_at(bytes: &[u8], at: usize) -> Option<(Range<usize>, &'static str)> {
    let first = bytes[at];
    if first == b'/' {
        return path_at(bytes, at);
    }
    if let Some(range) = process_id_at(bytes, at) {
        return Some((range, "<pid>"));
    }
    if !first.is_ascii_alphanumeric() || at > 0 && is_word(bytes[at - 1]) {
        return None;
    }
    // A UUID comes before a hexadecimal number, because it may start like one.
    if first.is_ascii_hexdigit()
        && let Some(end) = uuid(bytes, at)
    {
        return Some((at..end, "<uuid>"));
    }
    match first {
        b'0'..=b'9' => hexadecimal(bytes, at)
            .map(|end| (at..end, "<hex>"))
            .or_else(|| {
                let end = numeric_date(bytes, at).or_else(|| named_date(bytes, at));
                let end = end.or_else(|| clock(bytes, at, Clock::WithSeconds))?;
                Some((at..end, "<time>"))
            }),
        b'A'..=b'Z' => named_date(bytes, at).map(|end| (at..end, "<time>")),
        _ => None,
    }
}

/// Returns the offset after `count` bytes of a kind.
fn run(bytes: &[u8], at: usize, count: usize, kind: fn(&u8) -> bool) -> Option<usize> {
    let run = bytes.get(at..at.checked_add(count)?)?;
    run.iter().all(kind).then_some(at + count)
}

fn one_of(bytes: &[u8], at: usize, choice: &[u8]) -> Option<usize> {
    choice.contains(bytes.get(at)?).then_some(at + 1)
}

fn uuid(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = run(bytes, at, 8, u8::is_ascii_hexdigit)?;
    for digits in [4, 4, 4, 12] {
        end = one_of(bytes, end, b"-")?;
        end = run(bytes, end, digits, u8::is_ascii_hexdigit)?;
    }
    at_word_end(bytes, end)
}

fn hexadecimal(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = one_of(bytes, at, b"0").and_then(|at| one_of(bytes, at, b"xX"))?;
    match count(bytes, digits, usize::MAX, u8::is_ascii_hexdigit) {
        0 => None,
        len => at_word_end(bytes, digits + len),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Clock {
    WithSeconds,
    /// Seconds may be missing.
    BehindDate,
}

/// `12:34:56.789`
fn clock(bytes: &[u8], at: usize, form: Clock) -> Option<usize> {
    let hours = count(bytes, at, 2, u8::is_ascii_digit);
    if hours == 0 || number(&bytes[at..at + hours]) > 23 {
        return None;
    }
    let sixty = |at: usize| {
        let at = one_of(bytes, at, b":")?;
        let end = run(bytes, at, 2, u8::is_ascii_digit)?;
        (number(&bytes[at..end]) <= 60).then_some(end)
    };
    let minutes = sixty(at + hours)?;
    let mut end = match sixty(minutes) {
        Some(seconds) => seconds,
        None if form == Clock::BehindDate => minutes,
        None => return None,
    };
    if let Some(fraction) = one_of(bytes, end, b".,") {
        let digits = count(bytes, fraction, 9, u8::is_ascii_digit);
        if digits > 0 {
            end = fraction + digits;
        }
    }
    // A zone follows immediately.
    if form == Clock::BehindDate {
        return Some(end);
    }
    at_word_end(bytes, end)
}

fn number(digits: &[u8]) -> u32 {
    digits
        .iter()
        .fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
}

/// `2026-01-31T12:34:56.789+01:00`, `2026/01/31 12:34`.
fn numeric_date(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = run(bytes, at, 4, u8::is_ascii_digit)?;
    for _ in 0..2 {
        end = one_of(bytes, end, b"-/")?;
        end = run(bytes, end, 2, u8::is_ascii_digit)?;
    }
    end = one_of(bytes, end, b"Tt _")?;
    end = clock(bytes, end, Clock::BehindDate)?;
    let end = zone(bytes, end).unwrap_or(end);
    at_word_end(bytes, end)
}

/// `Sat Jan 31 12:34:56 UTC 2026`, `Jan  3 12:34:56`, `Sat, 31 Jan 2026 12:34:56 +0000`.
fn named_date(bytes: &[u8], at: usize) -> Option<usize> {
    let named = |at: usize, names: &[&[u8; 3]]| {
        let name = bytes.get(at..at + 3)?;
        let is_one = names.iter().any(|known| name == *known);
        is_one.then_some(at + 3)
    };
    let blanks = |at: usize| match count(bytes, at, 2, |byte| *byte == b' ') {
        0 => None,
        len => Some(at + len),
    };
    let day = |at: usize| match count(bytes, at, 2, u8::is_ascii_digit) {
        0 => None,
        len => Some(at + len),
    };
    let year = |at: usize| run(bytes, at, 4, u8::is_ascii_digit);
    let weekday = |at: usize| {
        let end = named(at, &WEEKDAYS)?;
        blanks(one_of(bytes, end, b",").unwrap_or(end))
    };
    let at = weekday(at).unwrap_or(at);
    let month_first = || day(blanks(named(at, &MONTHS)?)?);
    let day_first = || named(blanks(day(at)?)?, &MONTHS);
    let date = month_first().or_else(day_first)?;
    let date = one_of(bytes, date, b",").unwrap_or(date);
    let behind = blanks(date)?;
    let time = year(behind).and_then(blanks).unwrap_or(behind);
    let end = clock(bytes, time, Clock::BehindDate)?;
    let end = zone(bytes, end).unwrap_or(end);
    let end = blanks(end).and_then(year).unwrap_or(end);
    at_word_end(bytes, end)
}

/// `Z`, `+01:00`, ` -0500`, ` UTC`.
fn zone(bytes: &[u8], at: usize) -> Option<usize> {
    if let Some(end) = one_of(bytes, at, b"Zz") {
        return Some(end);
    }
    let at = one_of(bytes, at, b" ").unwrap_or(at);
    if let Some(sign) = one_of(bytes, at, b"+-") {
        let hours = run(bytes, sign, 2, u8::is_ascii_digit)?;
        let minutes = one_of(bytes, hours, b":").unwrap_or(hours);
        return Some(run(bytes, minutes, 2, u8::is_ascii_digit).unwrap_or(hours));
    }
    match count(bytes, at, 5, u8::is_ascii_uppercase) {
        len @ 3..=4 => at_word_end(bytes, at + len),
        _ => None,
    }
}

fn path_at(bytes: &[u8], at: usize) -> Option<(Range<usize>, &'static str)> {
    if !begins_path(bytes, at) {
        return None;
    }
    let rest = &bytes[at..];
    for folder in TEMPORARY {
        if rest.starts_with(folder) {
            let len = path_len(rest);
            return (len > folder.len()).then_some((at..at + len, "<tmp>"));
        }
    }
    home_end(bytes, at).map(|end| (at..end, "~"))
}

/// True when the slash at `at` is the start of a path.
fn begins_path(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    let goes_on = |byte: &u8| is_word(*byte) || b"/.-~+".contains(byte);
    !before.last().is_some_and(goes_on) || before.ends_with(b"://")
}

/// Returns the end of the home directory with which the path at `at` starts.
fn home_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    for homes in HOMES {
        if rest.starts_with(homes) {
            let name = path_len(&rest[homes.len()..]);
            let name = &rest[homes.len()..homes.len() + name];
            let len = name
                .iter()
                .position(|byte| *byte == b'/')
                .unwrap_or(name.len());
            return (len > 0).then_some(at + homes.len() + len);
        }
    }
    let is_root = rest.starts_with(b"/root")
        && rest
            .get(5)
            .is_none_or(|byte| *byte == b'/' || ends_path(*byte));
    is_root.then_some(at + 5)
}

/// Returns the length of the path at the start of `rest`; dots and commas at its end belong to the sentence.
fn path_len(rest: &[u8]) -> usize {
    let len = rest
        .iter()
        .position(|byte| ends_path(*byte))
        .unwrap_or(rest.len());
    let sentence = rest[..len]
        .iter()
        .rev()
        .take_while(|byte| **byte == b'.')
        .count();
    len - sentence
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
        for (text, clean) in [
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
            (
                "pid 1234, PID=5, \"pid\": 77",
                "pid <pid>, PID=<pid>, \"pid\": <pid>",
            ),
            ("open /tmp/tmp.a8Xk/x.db: no", "open <tmp>: no"),
            ("file:///var/folders/ab/cd/T/x.", "file://<tmp>."),
            ("/home/ann/src$ ", "~/src$ "),
            ("/Users/ann> /root /root/x", "~> ~ ~/x"),
        ] {
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
        for text in [
            "/tmp/w/d1/a.sh",
            "0x1234",
            "12:30:45",
            "123e4567-e89b-12d3-a456-426614174000",
            "2026-01-31T12:34:56Z",
            "pid 12",
            "/home/ann",
            "/root",
            "/srv/home/ann/x",
        ] {
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
