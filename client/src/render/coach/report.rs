//! The report: counts, and what each approved rule has changed.

use super::chart::chart;
use crate::fields::Fields as _;
use crate::render::line::{bar, cut};
use crate::render::style::Colour;
use crate::render::{Printer, columns, filled, is_utf8, text};
use serde_json::{Value, json};
use std::io;

const INDENT: &str = "  ";

const MAX_BAR: usize = 40;

/// Columns of that table before the bar, with room for six digits.
const BEFORE_BAR: usize = 20;

/// Writes counts by type, project and week, then each rule with its weeks before and after it was approved.
pub(crate) fn report(reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    written(reply, is_utf8(), out)
}

fn written(reply: &Value, is_utf8: bool, out: &mut Printer<'_>) -> io::Result<()> {
    if reply.has("since") {
        writeln!(out, "{}", filled("since {since}", reply))?;
    }
    separated(reply.list("by_type"), "coach.report by type", out)?;
    separated(reply.list("by_project"), "coach.report by project", out)?;
    let weeks = reply.list("weeks").iter();
    let most = weeks.clone().map(|week| week.number("count")).max();
    let room = out.width().saturating_sub(BEFORE_BAR).clamp(1, MAX_BAR);
    let weeks = weeks.map(|week| {
        let bar = bar(week.number("count"), most.unwrap_or(0), room, is_utf8);
        json!({"week": week["week"], "count": week["count"], "bar": bar})
    });
    separated(&weeks.collect::<Vec<_>>(), "coach.report by week", out)?;
    for rule in reply.list("rules") {
        writeln!(out)?;
        self::rule(rule, is_utf8, out)?;
    }
    Ok(())
}

fn separated(rows: &[Value], table: &str, out: &mut Printer<'_>) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    out.list(rows, &columns(table))
}

fn rule(rule: &Value, is_utf8: bool, out: &mut Printer<'_>) -> io::Result<()> {
    let title = filled("{title} ({id}, {status}[{guarded?}, guarded])", rule);
    out.line(Colour::Heading, &cut(&title, out.width()))?;
    let approved = filled("{effect.since:day}", rule);
    let weeks = rule.list("weeks");
    // The week of the approval counts as one before it.
    let split = weeks.partition_point(|week| week.text("week") <= approved.as_str());
    let counts: Vec<u64> = weeks.iter().map(|week| week.number("count")).collect();
    let (before, after) = counts.split_at(split);
    let room = out.width().saturating_sub(INDENT.len());
    let drawn = chart(before, after, room, is_utf8);
    writeln!(out, "{INDENT}{}", drawn.text)?;
    if drawn.weeks_per_bar > 1 {
        let scale = format!("each bar is {} weeks", drawn.weeks_per_bar);
        writeln!(out, "{INDENT}{}", out.paint(Colour::Dim, &scale))?;
    }
    let effect = rule.at("effect");
    writeln!(out, "{INDENT}{}", text("effect", effect))?;
    if !rule.has("guarded") && is_ignored(effect) {
        let hint = "no better since: ccctl coach guard {id} refuses such tool calls";
        let hint = out.paint(Colour::Notice, &filled(hint, rule));
        writeln!(out, "{INDENT}{hint}")?;
    }
    Ok(())
}

/// True if the friction recurs, at least as often as before the approval.
fn is_ignored(effect: &Value) -> bool {
    let rate =
        |count: &str, days: &str| effect.number(count) as f64 / self::days(effect, days).max(1.0);
    effect.number("after") > 1 && rate("after", "days_after") >= rate("before", "days_before")
}

fn days(effect: &Value, path: &str) -> f64 {
    effect.at(path).as_f64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Style;
    use crate::render::printer::{printed, printed_in};

    fn sample() -> Value {
        let weeks = [3, 0, 4, 0, 0, 1];
        let monday = ["01-05", "01-12", "01-19", "01-26", "02-02", "02-09"];
        let weeks: Vec<_> = monday
            .iter()
            .zip(weeks)
            .map(|(day, count)| json!({"week": format!("2026-{day}"), "count": count}))
            .collect();
        json!({
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
        })
    }

    fn shown(columns: usize, is_utf8: bool) -> String {
        let print = |out: &mut Printer<'_>| written(&sample(), is_utf8, out);
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
            reply["rules"][0]["effect"]["after"] = json!(after);
            reply["rules"][0]["guarded"] = json!(guarded);
            let text = printed(|out| written(&reply, true, out));
            assert_eq!(text.contains(hint), is_shown, "{text}");
        }
    }
}
