//! Whether a rule is followed: how often what it is about came up, before its approval and after.

use crate::instant::parse as time_ms;
use std::collections::BTreeMap;
use time::{Date, Duration, OffsetDateTime};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recurrence {
    pub(crate) before: u64,
    pub(crate) after: u64,
    /// Days from the first time to the approval, and from then until now; both with fractions.
    pub(crate) days_before: f64,
    pub(crate) days_after: f64,
    /// By Monday, `YYYY-MM-DD`, with the weeks in which it did not come up.
    pub(crate) weeks: BTreeMap<String, u64>,
}

/// Counts everything that was evidence for a rule; `times` are RFC 3339 and in any order.
/// `None` when `approved_at` or `now` is no time.
pub(crate) fn recurrence(approved_at: &str, now: &str, times: &[String]) -> Option<Recurrence> {
    let (approved_ms, now_ms) = (time_ms(approved_at)?, time_ms(now)?);
    let mut seen_ms: Vec<i64> = times.iter().filter_map(|time| time_ms(time)).collect();
    seen_ms.sort_unstable();
    let first_ms = seen_ms
        .first()
        .map_or(approved_ms, |first| approved_ms.min(*first));
    let before = seen_ms.partition_point(|at_ms| *at_ms < approved_ms);
    let days = |from_ms: i64, to_ms: i64| (to_ms - from_ms) as f64 / DAY_MS as f64;
    let mut weeks = weeks(first_ms, now_ms);
    for at_ms in &seen_ms {
        if let Some(count) = weeks.get_mut(&monday(*at_ms)) {
            *count += 1;
        }
    }
    Some(Recurrence {
        before: before as u64,
        after: (seen_ms.len() - before) as u64,
        days_before: days(first_ms, approved_ms),
        days_after: days(approved_ms, now_ms.max(approved_ms)),
        weeks,
    })
}

/// Returns the Monday of the week of a day or time, `YYYY-MM-DD`.
pub(crate) fn monday_of(day: &str) -> Option<String> {
    let ms = time_ms(day).or_else(|| time_ms(&format!("{day}T00:00:00Z")))?;
    Some(monday(ms))
}

/// Returns the weeks from one time to another by Monday, at most [`MAX_WEEKS`], and nothing counted in them.
pub(crate) fn empty_weeks(from: &str, to: &str) -> Option<BTreeMap<String, u64>> {
    Some(weeks(time_ms(from)?, time_ms(to)?))
}

const DAY_MS: i64 = 24 * 3600 * 1000;

/// Most weeks of a chart, the newest ones: two years.
const MAX_WEEKS: i64 = 104;

fn weeks(from_ms: i64, to_ms: i64) -> BTreeMap<String, u64> {
    let (first, last_ms) = (monday(from_ms), to_ms.max(from_ms));
    let weeks = (0..MAX_WEEKS).map(|back| monday(last_ms - back * 7 * DAY_MS));
    let weeks = weeks.take_while(|week| *week >= first);
    weeks.map(|week| (week, 0)).collect()
}

/// Returns the Monday of the week of a time; the last possible one after the year 9999.
fn monday(ms: i64) -> String {
    let time = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1000));
    let day = time.map_or(Date::MAX, OffsetDateTime::date);
    let since_monday = Duration::days(day.weekday().number_days_from_monday().into());
    day.saturating_sub(since_monday).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(now: &str, times: &[&str]) -> Recurrence {
        let times: Vec<String> = times.iter().map(|time| (*time).to_owned()).collect();
        recurrence("2026-03-02T00:00:00Z", now, &times).unwrap()
    }

    #[test]
    fn a_week_starts_on_monday() {
        for (day, monday) in [
            ("2026-03-01T23:59:59Z", "2026-02-23"),
            ("2026-03-02T00:00:00Z", "2026-03-02"),
            ("2026-03-08", "2026-03-02"),
            ("1970-01-01", "1969-12-29"),
        ] {
            assert_eq!(monday_of(day).as_deref(), Some(monday));
        }
        assert_eq!(monday_of("no time"), None);
    }

    #[test]
    fn recurrences_are_counted_before_and_after_the_approval() {
        let before = [
            "2026-02-24T08:00:00Z",
            "2026-02-16T00:00:00Z",
            "2026-02-16T09:00:00Z",
            "no time",
        ];
        let held = at("2026-03-16T12:00:00Z", &before);
        assert_eq!((held.before, held.after), (3, 0));
        assert_eq!((held.days_before, held.days_after), (14.0, 14.5));
        assert_eq!(
            held.weeks.into_iter().collect::<Vec<_>>(),
            [
                ("2026-02-16".to_owned(), 2),
                ("2026-02-23".to_owned(), 1),
                ("2026-03-02".to_owned(), 0),
                ("2026-03-09".to_owned(), 0),
                ("2026-03-16".to_owned(), 0),
            ]
        );
        let again = [before.as_slice(), &["2026-03-09T08:00:00Z"]].concat();
        let again = at("2026-03-16T00:00:00Z", &again);
        assert_eq!((again.before, again.after), (3, 1));
        assert_eq!(recurrence("never", "2026-03-16T00:00:00Z", &[]), None);
    }
}
