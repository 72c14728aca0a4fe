//! Names of files of reports: `{program}_{timestamp}.json`.

use ccd_base::clock;
use std::path::Path;

pub(super) const SUFFIX: &str = ".json";

/// Maximum bytes of a program's name in the name of a file.
const MAX_PROGRAM_BYTES: usize = 100;

/// A time in the name of a file: `20250923T123456789Z`.
const STAMP_LEN: usize = "20250923T123456789Z".len();

/// Returns the name of a program without its directories, as far as it can be part of the name of a file.
pub(super) fn base_of(program: &str) -> String {
    let last = Path::new(program).file_name().unwrap_or_default();
    let mut base: String = last
        .to_string_lossy()
        .chars()
        .map(|c| match c {
            c if c.is_alphanumeric() || ".+-_@".contains(c) => c,
            _ => '_',
        })
        .collect();
    base.truncate(base.floor_char_boundary(MAX_PROGRAM_BYTES));
    // Files that start with a dot are hidden, and never reports.
    match base.trim_start_matches('.') {
        "" => "program".to_owned(),
        shown => shown.to_owned(),
    }
}

/// Returns the name of a file; `number` tells reports of the same program and time apart.
pub(super) fn name_of(program: &str, started_at: &str, number: u32) -> String {
    let stamp = stamp_of(started_at).unwrap_or_else(|| stamp_of(&clock::now()).unwrap_or_default());
    let base = base_of(program);
    match number {
        0 => format!("{base}_{stamp}{SUFFIX}"),
        number => format!("{base}_{stamp}-{}{SUFFIX}", number + 1),
    }
}

/// Returns an RFC 3339 time in UTC in the form that it has in names; names with it sort as the times do.
fn stamp_of(time: &str) -> Option<String> {
    let stamp: String = time.chars().filter(char::is_ascii_alphanumeric).collect();
    is_stamp(&stamp).then_some(stamp)
}

/// Returns the time in the name of a file, with the number of the file if it has one.
pub(super) fn stamp_in(name: &str) -> Option<(&str, u32)> {
    let (_, end) = name.strip_suffix(SUFFIX)?.rsplit_once('_')?;
    let (stamp, number) = match end.split_once('-') {
        Some((stamp, number)) => (stamp, number.parse().ok()?),
        None => (end, 1),
    };
    is_stamp(stamp).then_some((stamp, number))
}

fn is_stamp(text: &str) -> bool {
    text.len() == STAMP_LEN
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 => byte == b'T',
            18 => byte == b'Z',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_has_the_program_without_its_directories_and_the_time() {
        let time = "2025-09-23T12:34:56.789Z";
        for (program, number, name) in [
            ("sqlite3", 0, "sqlite3_20250923T123456789Z.json"),
            ("/usr/bin/g++", 1, "g++_20250923T123456789Z-2.json"),
            ("./my tool", 0, "my_tool_20250923T123456789Z.json"),
            ("../..", 0, "program_20250923T123456789Z.json"),
            ("/x/.hidden", 0, "hidden_20250923T123456789Z.json"),
            ("", 0, "program_20250923T123456789Z.json"),
        ] {
            assert_eq!(name_of(program, time, number), name);
            assert_eq!(
                stamp_in(name),
                Some(("20250923T123456789Z", number + 1)),
                "{name}"
            );
        }
        assert_eq!(stamp_in("mine.json"), None);
        assert!(stamp_in(&name_of("x", "yesterday", 0)).is_some());
    }

    proptest! {
        #[test]
        fn any_program_has_a_name_in_the_directory(program in "(?s).{0,200}", time in ".{0,30}") {
            let name = name_of(&program, &time, 0);
            prop_assert!(!name.contains('/') && !name.starts_with('.') && name.len() < 255);
            prop_assert!(stamp_in(&name).is_some());
        }
    }
}
