//! What a row of the chart is made of.

use crate::fields::Fields as _;
use crate::render::conversation::stats::{name, value};
use crate::render::{printable, text};
use ccd_base::number::grouped;
use serde_json::{Value, json};

/// Rows in a chart; the others are summed up in one.
const MAX_ROWS: usize = 100;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Row {
    pub(super) name: String,
    /// Values of the kinds, in the order of [`kinds`].
    pub(super) parts: Vec<u64>,
    pub(super) cost: Option<f64>,
    /// A part has no price, or tokens are missing.
    pub(super) is_partial: bool,
}

impl Row {
    pub(super) fn sum(&self) -> u64 {
        self.parts.iter().sum()
    }

    pub(super) fn about(&self, kind: &str, value: u64) -> String {
        format!("{}: {} {kind}", self.name, grouped(value))
    }

    pub(super) fn cost_text(&self) -> String {
        text(
            "sum cost",
            &json!({"cost_usd": self.cost, "is_partial": self.is_partial}),
        )
    }

    pub(super) fn about_cost(&self) -> String {
        format!("{}: {}", self.name, self.cost_text())
    }
}

/// Returns the kinds that a bar is divided into: class and name of each.
pub(super) fn kinds(by: &str) -> &'static [(&'static str, &'static str)] {
    match by {
        "tool" => &[("a", "succeeded"), ("d", "failed")],
        _ => &[
            ("a", "input"),
            ("b", "output"),
            ("c", "written to the cache"),
            ("e", "read from the cache"),
        ],
    }
}

/// Returns the rows: days as they are, the last ones if there are too many; others with the largest first.
pub(super) fn rows(groups: &[Value], by: &str) -> Vec<Row> {
    let all: Vec<Row> = groups.iter().map(|group| row(group, by)).collect();
    let surplus = all.len().saturating_sub(MAX_ROWS - 1);
    if all.len() <= MAX_ROWS {
        return all;
    }
    match by {
        "day" => {
            let (rest, shown) = all.split_at(surplus);
            let mut rows = vec![together(rest, "earlier")];
            rows.extend_from_slice(shown);
            rows
        }
        _ => {
            let (shown, rest) = all.split_at(MAX_ROWS - 1);
            let mut rows = shown.to_vec();
            rows.push(together(rest, "more"));
            rows
        }
    }
}

fn row(group: &Value, by: &str) -> Row {
    let usage = |kind: &str| group["usage"].number(&format!("{kind}_tokens"));
    let errors = group.number("errors");
    Row {
        name: printable(name(group, by)),
        parts: match by {
            "tool" => vec![value(group, by).saturating_sub(errors), errors],
            _ => vec![
                usage("input"),
                usage("output"),
                usage("cache_creation_input"),
                usage("cache_read_input"),
            ],
        },
        cost: group["cost_usd"].as_f64(),
        is_partial: group.has("is_partial") || group.has("unpriced_models"),
    }
}

fn together(rows: &[Row], which: &str) -> Row {
    let mut sum = Row {
        name: format!("({} {which})", rows.len()),
        ..Row::default()
    };
    for row in rows {
        sum.parts.resize(row.parts.len(), 0);
        for (part, more) in sum.parts.iter_mut().zip(&row.parts) {
            *part = part.saturating_add(*more);
        }
        sum.is_partial |= row.is_partial;
        sum.cost = match (sum.cost, row.cost) {
            (Some(sum), Some(more)) => Some(sum + more),
            (known, more) => known.or(more),
        };
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rows_are_summed_up_at_the_right_end() {
        let group = |number: usize| json!({"key": number.to_string(), "cost_usd": 1.0, "count": 2, "errors": 1});
        let groups: Vec<Value> = (0..150).map(group).collect();
        let days = rows(&groups, "day");
        assert_eq!((days.len(), &*days[0].name), (MAX_ROWS, "(51 earlier)"));
        assert_eq!((days[0].cost, &*days[1].name), (Some(51.0), "51"));
        let tools = rows(&groups, "tool");
        let last = tools.last().unwrap();
        assert_eq!((tools.len(), &*last.name), (MAX_ROWS, "(51 more)"));
        assert_eq!(last.parts, [51, 51]);
        assert_eq!(rows(&groups[..100], "day").len(), 100);
    }
}
