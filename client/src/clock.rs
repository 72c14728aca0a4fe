//! Times as written in records.

use std::time::{Duration, SystemTime};

const DAY_S: u64 = 86_400;

/// The number of 1970-01-01, counted in years that start in March.
const FIRST_DAY: u64 = 719_468;

/// Reads a time in UTC as the daemon writes it, `2026-01-31T12:00:00.000Z`; `None` for any other text.
pub(crate) fn parse(text: &str) -> Option<SystemTime> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.splitn(3, '-').map(str::parse::<u64>);
    let mut time = time.splitn(3, ':');
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let hours: u64 = time.next()?.parse().ok()?;
    let minutes: u64 = time.next()?.parse().ok()?;
    let seconds: f64 = time.next()?.parse().ok()?;
    let is_time = hours < 24 && minutes < 60 && (0.0..61.0).contains(&seconds);
    if !is_time || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let whole = days(year, month, day)? * DAY_S + hours * 3_600 + minutes * 60;
    SystemTime::UNIX_EPOCH
        .checked_add(Duration::from_secs(whole) + Duration::from_secs_f64(seconds))
}

/// Writes a time in UTC, `2026-01-31T12:00:00.000000Z`. Times before 1970 count as 1970.
pub(crate) fn format(time: SystemTime) -> String {
    let since = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let (day, second) = (since.as_secs() / DAY_S, since.as_secs() % DAY_S);
    let (year, month, day) = date(day);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:06}Z",
        second / 3_600,
        second / 60 % 60,
        second % 60,
        since.subsec_micros()
    )
}

/// The inverse of [`days`].
fn date(day: u64) -> (u64, u64, u64) {
    const DAYS_400_YEARS: u64 = 146_097;
    let count = day + FIRST_DAY;
    let (era, day) = (count / DAYS_400_YEARS, count % DAYS_400_YEARS);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (year * 365 + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year;
    if month < 10 {
        (year, month + 3, day)
    } else {
        (year + 1, month - 9, day)
    }
}

/// Days since 1970-01-01; counted in years that start in March, so that a leap day is the last one.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1970..10_000).contains(&year) {
        return None;
    }
    let (year, month) = if month < 3 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    (year * 365 + leap_days + (153 * month + 2) / 5 + day - 1).checked_sub(FIRST_DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_from_1970() {
        for (text, ms) in [
            ("1970-01-01T00:00:00.000Z", 0),
            ("1970-03-01T00:00:00Z", 5_097_600_000),
            ("2000-02-29T23:59:59.500Z", 951_868_799_500),
            ("2026-11-22T08:46:27.001Z", 1_795_337_187_001),
        ] {
            let since = parse(text)
                .unwrap()
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap();
            assert_eq!(since.as_micros().div_ceil(1000), ms, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        // Days around the ends of months and years, leap days among them.
        for day in (0..60_000).step_by(13).chain(11_000..11_500) {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(day * DAY_S + 3_723);
            assert_eq!(parse(&format(time)), Some(time), "{}", format(time));
        }
        let time = SystemTime::UNIX_EPOCH + Duration::from_micros(1_795_337_187_001_002);
        assert_eq!(format(time), "2026-11-22T08:46:27.001002Z");
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "yesterday",
            "2026-13-01T00:00:00Z",
            "2026-01-01",
            "1960-01-01T00:00:00Z",
            "2026-01-01T00:00:00+01:00",
            "2026-01-01T99:00:00Z",
            "2026-01-01T00:00:NaNZ",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }
}
