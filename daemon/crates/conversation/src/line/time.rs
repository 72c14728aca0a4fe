//! Times of records.

/// Returns a time of RFC 3339 in UTC, such as `2026-01-31T12:00:00.000Z`, in milliseconds since 1970.
pub fn milliseconds(text: &str) -> Option<i64> {
    use time::OffsetDateTime;
    use time::format_description::well_known::Rfc3339;
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    i64::try_from(time.unix_timestamp_nanos() / 1_000_000).ok()
}
