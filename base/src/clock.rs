//! Formats and parses times.

use std::time::SystemTime;
use time::OffsetDateTime;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

/// Returns the current time as RFC 3339 in UTC with milliseconds.
pub fn now() -> String {
    rfc3339(OffsetDateTime::now_utc())
}

/// Returns a time in the same form.
pub fn at(time: SystemTime) -> String {
    rfc3339(date_of(time))
}

/// Returns the time `seconds` ago in the same form, so that texts can be compared as times.
pub fn seconds_ago(seconds: f64) -> String {
    let age = time::Duration::checked_seconds_f64(seconds);
    let then = age.and_then(|age| OffsetDateTime::now_utc().checked_sub(age));
    rfc3339(then.unwrap_or(OffsetDateTime::UNIX_EPOCH))
}

/// Returns a time in the same form with microseconds. Times before 1970 count as 1970.
pub fn at_us(time: SystemTime) -> String {
    let format =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:6]Z");
    written(date_of(time.max(SystemTime::UNIX_EPOCH)), format)
}

/// Reads a time in UTC, with the letter Z and any number of digits of a second; `None` for any other text.
pub fn parse(text: &str) -> Option<SystemTime> {
    parsed(text.ends_with('Z').then_some(text)?).map(SystemTime::from)
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

/// A time that no date can be given for counts as 1970.
pub fn date_of(time: SystemTime) -> OffsetDateTime {
    let (start, duration) = (OffsetDateTime::UNIX_EPOCH, time::Duration::try_from);
    let date = match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => duration(after)
            .ok()
            .and_then(|after| start.checked_add(after)),
        Err(before) => duration(before.duration())
            .ok()
            .and_then(|before| start.checked_sub(before)),
    };
    date.unwrap_or(start)
}

fn rfc3339(time: OffsetDateTime) -> String {
    let format =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    written(time, format)
}

fn written(time: OffsetDateTime, format: &[BorrowedFormatItem<'_>]) -> String {
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

    #[test]
    fn times_are_counted_from_1970() {
        for (text, ms) in [
            ("1970-01-01T00:00:00.000Z", 0),
            ("1970-03-01T00:00:00Z", 5_097_600_000),
            ("2000-02-29T23:59:59.500Z", 951_868_799_500),
            ("2026-11-22T08:46:27.001Z", 1_795_337_187_001),
        ] {
            let since = parse(text).unwrap().duration_since(SystemTime::UNIX_EPOCH);
            assert_eq!(since.unwrap().as_millis(), ms, "{text}");
        }
        let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_micros(1_795_337_187_001_002);
        assert_eq!(at_us(time), "2026-11-22T08:46:27.001002Z");
        assert_eq!(parse(&at_us(time)), Some(time));
    }

    #[test]
    fn times_beyond_all_dates_count_as_1970() {
        let start = "1970-01-01T00:00:00.000Z";
        for days in [5_000_000, u32::MAX] {
            let seconds = f64::from(days) * 86_400.0;
            let then = SystemTime::now() - std::time::Duration::from_secs_f64(seconds);
            assert_eq!(
                (seconds_ago(seconds), at(then)),
                (start.into(), start.into())
            );
            assert_eq!(at_us(then), "1970-01-01T00:00:00.000000Z");
        }
        assert_eq!(seconds_ago(f64::MAX), start);
        let before = SystemTime::UNIX_EPOCH - std::time::Duration::from_secs(1);
        assert_eq!(at(before), "1969-12-31T23:59:59.000Z");
        assert_eq!(at_us(before), "1970-01-01T00:00:00.000000Z");
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "yesterday",
            "2026-13-01T00:00:00Z",
            "2026-01-01",
            "2026-01-01T00:00:00+01:00",
            "2026-01-01T99:00:00Z",
            "2026-01-01T00:00:NaNZ",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }
}
