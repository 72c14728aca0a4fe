//! Times as numbers.

/// 30 days in milliseconds: how long evidence waits for more.
pub(crate) const WINDOW_MS: i64 = 30 * 24 * 3600 * 1000;

/// Returns milliseconds since 1970 of a time such as `2026-03-01T08:00:00.5Z`, or as SQLite writes it, with a blank.
/// Ledgers of other tools have times without a zone: they count as UTC. None for any other text.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let number =
        |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok().filter(|n| *n >= 0);
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let rest = text.get(19..)?;
    let digits = rest.strip_prefix('.').map_or("", |fraction| {
        let end = fraction.bytes().position(|b| !b.is_ascii_digit());
        &fraction[..end.unwrap_or(fraction.len())]
    });
    let millis = digits.bytes().chain(*b"000").take(3);
    let millis = millis.fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    let fraction_len = digits.len() + usize::from(!digits.is_empty());
    let zone = zone_minutes(&rest[fraction_len..])?;
    let minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute - zone;
    Some((minutes * 60 + second) * 1000 + millis)
}

fn zone_minutes(zone: &str) -> Option<i64> {
    if zone.is_empty() || zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours: i64 = zone.get(1..3)?.parse().ok()?;
    let minutes: i64 = zone.get(4..6)?.parse().ok()?;
    Some(sign * (hours * 60 + minutes))
}

/// Days of the Gregorian calendar, counted in years that start in March, so that a leap day is the last of its year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
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
