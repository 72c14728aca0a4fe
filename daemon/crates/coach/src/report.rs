//! What the coach has to show: signals by week, and whether rules are followed.

use crate::fingerprint::Fingerprint;
use crate::signal::SignalType;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a report needs of an event.
#[derive(Debug, Clone, Copy)]
pub struct Occurrence<'a> {
    /// RFC 3339.
    pub timestamp: &'a str,
    pub signal_type: SignalType,
    pub repo_id: &'a str,
    pub session_id: &'a str,
}

/// How many signals of a type there were in a project in a week.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WeekCount {
    /// The Monday of the week, `YYYY-MM-DD`.
    pub week: String,
    pub repo_id: String,
    pub signal_type: SignalType,
    pub count: u64,
}

/// Whether a rule is followed: how often what it is about came up before its approval and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    pub fingerprint: Fingerprint,
    pub approved_at: String,
    pub before: Recurrence,
    pub after: Recurrence,
    /// By Monday, `YYYY-MM-DD`, with the weeks in which it did not come up.
    pub weeks: BTreeMap<String, u64>,
    pub verdict: Verdict,
}

/// How often something came up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Recurrence {
    pub count: u64,
    pub sessions: u64,
    /// Length of the time in weeks; a part of a week counts as its part.
    pub weeks: f64,
    pub per_week: f64,
}

/// What the figures say about a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is less than a week old.
    Early,
    /// It did not come up again.
    Held,
    /// It comes up less than half as often.
    Better,
    /// It comes up about as often as before: a guard would hold it.
    Ignored,
}

/// Returns the counts of each week, project and type, in this order. Events without a readable time are left out.
#[must_use]
pub fn weekly<'a>(events: impl Iterator<Item = Occurrence<'a>>) -> Vec<WeekCount> {
    let mut counts: BTreeMap<(i64, &str, SignalType), u64> = BTreeMap::new();
    for event in events {
        if let Some(day) = day_of(event.timestamp) {
            *counts
                .entry((monday(day), event.repo_id, event.signal_type))
                .or_default() += 1;
        }
    }
    let row = |((week, repo_id, signal_type), count): ((i64, &str, SignalType), u64)| WeekCount {
        week: date(week),
        repo_id: repo_id.to_owned(),
        signal_type,
        count,
    };
    counts.into_iter().map(row).collect()
}

/// Returns the effect of an approved rule from everything that was counted for it, in any order.
///
/// The time before starts with its first evidence. None when `approved_at` or `now` is no time.
#[must_use]
pub fn effect<'a>(
    fingerprint: &Fingerprint,
    approved_at: &str,
    now: &str,
    evidence: impl Iterator<Item = Occurrence<'a>>,
) -> Option<Effect> {
    let (approved_ms, now_ms) = (time_ms(approved_at)?, time_ms(now)?);
    let mut seen: Vec<(i64, &str)> = evidence
        .filter_map(|event| Some((time_ms(event.timestamp)?, event.session_id)))
        .collect();
    seen.sort_unstable();
    let first_ms = seen
        .first()
        .map_or(approved_ms, |(at, _)| *at)
        .min(approved_ms);
    let split = seen.partition_point(|(at, _)| *at < approved_ms);
    let before = Recurrence::of(&seen[..split], approved_ms - first_ms);
    let after = Recurrence::of(&seen[split..], now_ms.max(approved_ms) - approved_ms);
    Some(Effect {
        fingerprint: fingerprint.clone(),
        approved_at: approved_at.to_owned(),
        verdict: verdict(before, after),
        before,
        after,
        weeks: weeks(&seen, first_ms, now_ms),
    })
}

/// Returns the Monday of the week of a day or time, `YYYY-MM-DD`.
#[must_use]
pub fn monday_of(day: &str) -> Option<String> {
    day_of(day)
        .or_else(|| day_of(&format!("{day}T00:00:00Z")))
        .map(|day| date(monday(day)))
}

const DAY_MS: i64 = 24 * 3600 * 1000;
const WEEK_MS: i64 = 7 * DAY_MS;

/// The chart of a rule shows so many weeks at most, the newest ones: ten years.
const MAX_WEEKS: i64 = 520;

impl Recurrence {
    fn of(seen: &[(i64, &str)], length_ms: i64) -> Self {
        let sessions: BTreeSet<&str> = seen.iter().map(|(_, session)| *session).collect();
        let weeks = length_ms as f64 / WEEK_MS as f64;
        let count = seen.len() as u64;
        Self {
            count,
            sessions: sessions.len() as u64,
            weeks,
            // Three failures within a minute are no thirty thousand a week.
            per_week: count as f64 / weeks.max(1.0),
        }
    }
}

fn verdict(before: Recurrence, after: Recurrence) -> Verdict {
    if after.count == 0 {
        if after.weeks < 1.0 {
            Verdict::Early
        } else {
            Verdict::Held
        }
    } else if after.per_week * 2.0 < before.per_week {
        Verdict::Better
    } else if after.weeks < 1.0 && after.count < 2 {
        Verdict::Early
    } else {
        Verdict::Ignored
    }
}

fn weeks(seen: &[(i64, &str)], first_ms: i64, now_ms: i64) -> BTreeMap<String, u64> {
    let last = monday(now_ms.max(first_ms).div_euclid(DAY_MS));
    let first = monday(first_ms.div_euclid(DAY_MS)).max(last - (MAX_WEEKS - 1) * 7);
    let mut weeks: BTreeMap<i64, u64> = (0..=(last - first) / 7)
        .map(|week| (first + week * 7, 0))
        .collect();
    for (at, _) in seen {
        if let Some(count) = weeks.get_mut(&monday(at.div_euclid(DAY_MS))) {
            *count += 1;
        }
    }
    weeks
        .into_iter()
        .map(|(week, count)| (date(week), count))
        .collect()
}

fn time_ms(text: &str) -> Option<i64> {
    crate::instant::parse(text)
}

fn day_of(text: &str) -> Option<i64> {
    Some(time_ms(text)?.div_euclid(DAY_MS))
}

/// Returns the Monday of a day, both as days since 1970, which began on a Thursday.
fn monday(day: i64) -> i64 {
    day - (day + 3).rem_euclid(7)
}

/// Returns the date of a day since 1970.
fn date(day: i64) -> String {
    let from_march = day + 719_468;
    let era = from_march.div_euclid(146_097);
    let day_of_era = from_march.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::{CandidateType, fingerprint};
    use proptest::prelude::*;

    fn at(timestamp: &'static str, session_id: &'static str) -> Occurrence<'static> {
        Occurrence {
            timestamp,
            signal_type: SignalType::CommandFailure,
            repo_id: "r1",
            session_id,
        }
    }

    fn effect_of(now: &str, evidence: &[Occurrence<'_>]) -> Effect {
        let fingerprint = fingerprint(CandidateType::Rule, "when", "then");
        effect(
            &fingerprint,
            "2026-03-02T00:00:00Z",
            now,
            evidence.iter().copied(),
        )
        .unwrap()
    }

    #[test]
    fn a_week_starts_on_monday() {
        let events = [
            at("2026-03-01T23:59:59Z", "a"),
            at("2026-03-02T00:00:00Z", "a"),
            at("no time", "a"),
        ];
        let weeks = weekly(events.into_iter());
        let of: Vec<_> = weeks
            .iter()
            .map(|week| (week.week.as_str(), week.count))
            .collect();
        assert_eq!(of, [("2026-02-23", 1), ("2026-03-02", 1)]);
    }

    #[test]
    fn recurrences_are_counted_before_and_after_the_approval() {
        let before = [
            at("2026-02-16T08:00:00Z", "a"),
            at("2026-02-16T09:00:00Z", "a"),
            at("2026-02-24T08:00:00Z", "b"),
        ];
        let held = effect_of("2026-03-16T00:00:00Z", &before);
        assert_eq!(
            (held.before.count, held.before.sessions, held.after.count),
            (3, 2, 0)
        );
        assert_eq!(held.verdict, Verdict::Held);
        assert_eq!(
            held.weeks.values().copied().collect::<Vec<_>>(),
            [2, 1, 0, 0, 0]
        );
        assert_eq!(
            effect_of("2026-03-03T00:00:00Z", &before).verdict,
            Verdict::Early
        );
        let again = [
            before.as_slice(),
            &[
                at("2026-03-09T08:00:00Z", "c"),
                at("2026-03-10T08:00:00Z", "d"),
            ],
        ]
        .concat();
        assert_eq!(
            effect_of("2026-03-16T00:00:00Z", &again).verdict,
            Verdict::Ignored
        );
        assert_eq!(
            effect_of("2026-05-16T00:00:00Z", &again).verdict,
            Verdict::Better
        );
    }

    proptest! {
        #[test]
        fn a_day_has_its_date(day in -700_000_i64..3_000_000) {
            let text = format!("{}T00:00:00Z", date(day));
            prop_assume!(text.len() == 20 && !text.starts_with('-'));
            prop_assert_eq!(day_of(&text), Some(day));
        }
    }
}
