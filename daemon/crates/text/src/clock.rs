//! Formats and parses times.

use std::time::SystemTime;
use time::OffsetDateTime;
use time::macros::format_description;

/// Returns the current time as RFC 3339 in UTC with milliseconds.
pub fn now() -> String {
    rfc3339(OffsetDateTime::now_utc())
}

/// Returns a time in the same form.
pub fn at(time: SystemTime) -> String {
    rfc3339(OffsetDateTime::from(time))
}

/// Returns the time `seconds` ago in the same form, so that texts can be compared as times.
pub fn seconds_ago(seconds: f64) -> String {
    rfc3339(OffsetDateTime::now_utc() - time::Duration::seconds_f64(seconds))
}

/// Returns how many seconds ago `text` was; `None` if it is not such a time.
pub fn age_s(text: &str) -> Option<f64> {
    Some((OffsetDateTime::now_utc() - parsed(text)?).as_seconds_f64())
}

/// Returns a time of RFC 3339 in the same form; `None` if it is not such a time.
pub fn normal(text: &str) -> Option<String> {
    Some(rfc3339(parsed(text)?.to_offset(time::UtcOffset::UTC)))
}

fn parsed(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &time::format_description::well_known::Rfc3339).ok()
}

fn rfc3339(time: OffsetDateTime) -> String {
    let format =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    time.format(&format)
        .unwrap_or_else(|_| String::from("1970-01-01T00:00:00.000Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_compare_as_texts_and_tell_their_age() {
        let now = now();
        assert_eq!(now.len(), "2026-01-01T00:00:00.000Z".len());
        assert!(seconds_ago(60.0) < now);
        let age = age_s(&seconds_ago(60.0)).unwrap();
        assert!((59.0..120.0).contains(&age), "{age}");
        assert_eq!(age_s("yesterday"), None);
    }
}
