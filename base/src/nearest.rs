//! Names that are nearly right.

/// Returns the name that was probably meant by `written`, if one is similar enough.
/// One typing mistake in three letters is still accepted; `written` may lack the group of a dotted name.
pub fn nearest<'a>(written: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_ascii_lowercase();
    names
        .map(|name| (distance_to_name(&written, name), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| *distance <= name.len().max(3) / 3)
        .map(|(_, name)| name)
}

fn distance_to_name(written: &str, name: &str) -> usize {
    let last = name.rsplit_once('.').map_or(name, |(_, last)| last);
    // The whole name takes precedence over a last part that is as similar.
    distance(written, name).min(distance(written, last) + 1)
}

/// Returns the edit distance: insertions, deletions, changes and swaps of neighbours, each 1.
fn distance(a: &str, b: &str) -> usize {
    /// Longer names are not typing mistakes, and the table stays small.
    const MAX_COMPARED_CHARS: usize = 64;
    let start = |name: &str| name.chars().take(MAX_COMPARED_CHARS).collect::<String>();
    strsim::osa_distance(&start(a), &start(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = [
        "max_sessions",
        "session_timeout",
        "limits.rows",
        "log_level",
    ];

    #[test]
    fn slips_find_the_name_that_was_meant() {
        for (written, meant) in [
            ("max_session", Some("max_sessions")),
            ("MAX_SESSIONS", Some("max_sessions")),
            ("sesion_timeout", Some("session_timeout")),
            ("log_leevl", Some("log_level")),
            ("rows", Some("limits.rows")),
            ("limits.row", Some("limits.rows")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, NAMES.into_iter()), meant, "{written}");
        }
    }

    #[test]
    fn distance_counts_a_swap_once() {
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
