//! The report: counts, and what each approved rule has changed.

use super::chart::chart;
use crate::render::line::{bar, cut};
use crate::render::style::Colour;
use crate::render::table::{Column, columns};
use crate::render::{Printer, printable};
use ccd_protocol::coach::{
    CoachReportReply, Effect, ProjectCount, RuleReport, TypeCount, WeekCount,
};
use std::io;

const INDENT: &str = "  ";

const MAX_BAR: usize = 40;

/// Columns of that table before the bar, with room for six digits.
const BEFORE_BAR: usize = 20;

const TYPES: &[Column<TypeCount>] = &columns! { |one|
    "TYPE" => one.signal_type.name(),
    "EVENTS" => one.count,
};

const PROJECTS: &[Column<ProjectCount>] = &columns! { |one|
    "EVENTS" => one.count,
    "PROJECT" => one.project.as_deref().unwrap_or(&one.repo_id),
};

/// Writes counts by type, project and week, then each rule with its weeks before and after it was approved.
pub(crate) fn report(
    reply: &CoachReportReply,
    is_utf8: bool,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    if !reply.since.is_empty() {
        writeln!(out, "since {}", printable(&reply.since))?;
    }
    separated(&reply.by_type, TYPES, out)?;
    separated(&reply.by_project, PROJECTS, out)?;
    let most = reply.weeks.iter().map(|week| week.count).max().unwrap_or(0);
    let room = out.width().saturating_sub(BEFORE_BAR).clamp(1, MAX_BAR);
    let weeks = reply.weeks.iter();
    let weeks = weeks.map(|week| (week, bar(week.count, most, room, is_utf8)));
    let weeks: Vec<(&WeekCount, String)> = weeks.collect();
    let columns = columns! { |(week, bar): (&WeekCount, String)|
        "WEEK" => &week.week,
        "EVENTS" => week.count,
        "CHART" => bar,
    };
    separated(&weeks, &columns, out)?;
    for rule in &reply.rules {
        writeln!(out)?;
        self::rule(rule, is_utf8, out)?;
    }
    Ok(())
}

fn separated<T>(rows: &[T], columns: &[Column<T>], out: &mut Printer<'_>) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    out.table(rows, columns)
}

fn rule(rule: &RuleReport, is_utf8: bool, out: &mut Printer<'_>) -> io::Result<()> {
    let guarded = if rule.guarded { ", guarded" } else { "" };
    let about = format!("({}, {}{guarded})", rule.id, rule.status.name());
    let title = format!("{} {}", printable(&rule.title), printable(&about));
    let title = cut(&title, out.width());
    out.line(Colour::Heading, &title)?;
    let approved = rule.effect.since.get(..10).unwrap_or(&rule.effect.since);
    // The week of the approval counts as one before it.
    let split = rule
        .weeks
        .partition_point(|week| week.week.as_str() <= approved);
    let counts: Vec<u64> = rule.weeks.iter().map(|week| week.count).collect();
    let (before, after) = counts.split_at(split);
    let room = out.width().saturating_sub(INDENT.len());
    let drawn = chart(before, after, room, is_utf8);
    writeln!(out, "{INDENT}{}", drawn.text)?;
    if drawn.weeks_per_bar > 1 {
        let scale = format!("each bar is {} weeks", drawn.weeks_per_bar);
        writeln!(out, "{INDENT}{}", out.paint(Colour::Dim, &scale))?;
    }
    writeln!(out, "{INDENT}{}", in_words(&rule.effect))?;
    if !rule.guarded && is_ignored(&rule.effect) {
        let hint = format!(
            "no better since: ccctl coach guard {} refuses such tool calls",
            rule.id
        );
        writeln!(out, "{INDENT}{}", out.paint(Colour::Notice, &hint))?;
    }
    Ok(())
}

/// True if the friction recurs, at least as often as before the approval.
fn is_ignored(effect: &Effect) -> bool {
    let rate = |count: u64, days: f64| count as f64 / days.max(1.0);
    effect.after > 1
        && rate(effect.after, effect.days_after) >= rate(effect.before, effect.days_before)
}

/// Returns the effect in words; an empty text if there is none.
pub(super) fn effect(effect: Option<&Effect>) -> String {
    effect.map(in_words).unwrap_or_default()
}

fn in_words(effect: &Effect) -> String {
    format!(
        "{} in the {} before, {} in the {} since",
        times(effect.before),
        span(effect.days_before),
        times(effect.after),
        span(effect.days_after)
    )
}

fn times(count: u64) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

/// A time in the unit that suits it, without the number if it is one.
fn span(days: f64) -> String {
    let (number, unit) = match days {
        ..1.0 => (days * 24.0, "hour"),
        ..14.0 => (days, "day"),
        _ => (days / 7.0, "week"),
    };
    match number.round() {
        2.0.. => format!("{:.0} {unit}s", number.round()),
        _ => unit.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;
    use crate::render::printer::{printed, printed_in};
    use serde_json::json;

    fn sample() -> CoachReportReply {
        let weeks = [3, 0, 4, 0, 0, 1];
        let monday = ["01-05", "01-12", "01-19", "01-26", "02-02", "02-09"];
        let weeks: Vec<_> = monday
            .iter()
            .zip(weeks)
            .map(|(day, count)| json!({"week": format!("2026-{day}"), "count": count}))
            .collect();
        let reply = json!({
            "since": "2026-01-01T00:00:00.000Z",
            "by_type": [{"signal_type": "USER_CORRECTION", "count": 8}],
            "by_project": [{"repo_id": "0123456789abcdef", "project": "/p\u{1b}[2J", "count": 8}],
            "weeks": weeks,
            "rules": [{
                "id": "3f2a91bc", "title": "Use pnpm\u{7}", "status": "approved", "guarded": true,
                "effect": {"since": "2026-01-21T10:00:00Z", "before": 7, "after": 1,
                           "days_before": 20.6, "days_after": 36.0},
                "weeks": weeks,
            }],
        });
        serde_json::from_value(reply).unwrap()
    }

    fn shown(columns: usize, is_utf8: bool) -> String {
        let print = |out: &mut Printer<'_>| report(&sample(), is_utf8, out);
        printed_in(Style::default(), Some(columns), print)
    }

    #[test]
    fn a_rule_has_its_weeks_before_and_after() {
        let text = shown(80, true);
        let rule = "Use pnpm\\u{7} (3f2a91bc, approved, guarded)\n  ▇▁█│▁▁▃\n  \
                    7 times in the 3 weeks before, once in the 5 weeks since\n";
        assert!(text.ends_with(rule), "{text}");
        assert!(text.contains("\n8  /p\\u{1b}[2J\n"), "{text}");
        assert!(
            text.contains("\n2026-01-19  4  ████████████████████████████████████████\n"),
            "{text}"
        );
        // A narrow terminal gets fewer bars; without UTF-8, the weeks are digits.
        let text = shown(8, true);
        let chart = text.lines().find(|line| line.contains('│')).unwrap();
        assert!(chart.chars().count() <= 8, "{chart}");
        assert!(text.contains("each bar is 2 weeks"), "{text}");
        let text = shown(80, false);
        assert!(text.contains("\n  304|001\n"), "{text}");
        assert!(text.is_ascii(), "{text}");
    }

    #[test]
    fn a_rule_that_is_ignored_can_become_a_guard() {
        let hint = "no better since: ccctl coach guard 3f2a91bc refuses such tool calls";
        for (after, guarded, is_shown) in [(20, false, true), (20, true, false), (5, false, false)]
        {
            let mut reply = sample();
            reply.rules[0].effect.after = after;
            reply.rules[0].guarded = guarded;
            let text = printed(|out| report(&reply, true, out));
            assert_eq!(text.contains(hint), is_shown, "{text}");
        }
    }

    #[test]
    fn numbers_are_words_where_that_reads_better() {
        for (days, words) in [
            (0.0, "hour"),
            (f64::NAN, "week"),
            (0.2, "5 hours"),
            (1.2, "day"),
            (6.0, "6 days"),
            (14.0, "2 weeks"),
            (-3.0, "hour"),
        ] {
            assert_eq!(span(days), words, "{days}");
        }
        assert_eq!(
            [0, 1, 2, 7].map(times),
            ["never", "once", "twice", "7 times"]
        );
    }
}
