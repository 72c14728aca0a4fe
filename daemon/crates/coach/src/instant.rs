//! Times as numbers.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// 30 days in milliseconds: how long evidence waits for more.
pub(crate) const WINDOW_MS: i64 = 30 * 24 * 3600 * 1000;

/// Returns milliseconds since 1970 of a time such as `2026-03-01T08:00:00.5Z`, or as SQLite writes it, with a blank.
/// Ledgers of other tools have times without a zone: they count as UTC. None for any other text.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let text = text.replacen(' ', "T", 1);
    let time = OffsetDateTime::parse(&text, &Rfc3339);
    let time = time.or_else(|_| OffsetDateTime::parse(&format!("{text}Z"), &Rfc3339));
    let time = time.ok()?;
    Some(time.unix_timestamp() * 1000 + i64::from(time.millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_tool_are_read() {
        assert_eq!(parse("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse("2024-02-29 12:00:00"), Some(1_709_208_000_000));
        assert_eq!(
            parse("2026-03-01T08:00:00.25+02:00"),
            Some(1_772_344_800_250)
        );
        assert_eq!(
            parse("2026-03-01T08:00:00.123456"),
            parse("2026-03-01T08:00:00.123Z")
        );
        assert_eq!(parse("yesterday"), None);
        assert_eq!(parse("2026-13-01T08:00:00Z"), None);
        assert_eq!(parse("2026-03-01T08:00:00é"), None);
    }
}
