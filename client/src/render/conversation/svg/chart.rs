//! The chart.

use super::element::{Elements, TextAnchor, dark_colours, escaped, fill};
use super::scale::Scale;
use super::series::{Row, kinds, rows};
use crate::fields::Fields as _;
use crate::render::line::{cut_start, width};
use crate::render::short::short;
use crate::render::text;
use serde_json::Value;

/// Units of the image, which are pixels unless it is scaled.
const WIDTH: f64 = 900.0;
const MARGIN: f64 = 24.0;
const ROW: f64 = 22.0;
const BAR: f64 = 14.0;
/// From the top of the image to the first row.
const HEAD: f64 = 112.0;
/// From the last row to the bottom of the image.
const FOOT: f64 = 40.0;
/// About the width of a character of a name.
const CHARACTER: f64 = 7.2;
/// Characters of a name.
const NAME: usize = 30;
/// Room for a number after a bar.
const NUMBER: f64 = 58.0;
const COSTS: f64 = 120.0;

/// What attributes cannot say. Every element also has its light colour as an attribute, for viewers without style sheets.
const STYLE: &str = "\
svg { color-scheme: light dark; }
.name, .number { font-variant-numeric: tabular-nums; }
";

/// Returns sums as an image that needs nothing else, in light or dark as the viewer prefers.
pub(crate) fn stats_svg(reply: &Value, by: &str) -> String {
    let rows = rows(reply.list("groups"), by);
    let chart = Chart::of(&rows, by);
    let mut image = Elements::default();
    let title = title(by);
    image.text((MARGIN, 34.0), TextAnchor::Start, "title", &title);
    image.text(
        (MARGIN, 54.0),
        TextAnchor::Start,
        "dim",
        &summary(reply, by),
    );
    legend(by, &mut image);
    chart.axes(&mut image);
    for (index, row) in rows.iter().enumerate() {
        chart.row(row, HEAD + index as f64 * ROW, &mut image);
    }
    if rows.is_empty() {
        image.text(
            (MARGIN, HEAD + BAR),
            TextAnchor::Start,
            "dim",
            "nothing in this scope",
        );
    }
    let height = chart.bottom() + FOOT;
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{}">
<style>{STYLE}@media (prefers-color-scheme: dark) {{ {} }}
</style>
<g font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="12">
<rect width="100%" height="100%" {}/>
{}</g>
</svg>
"#,
        escaped(&title),
        dark_colours(),
        fill("back"),
        image.into_text()
    )
}

fn title(by: &str) -> String {
    match by {
        "tool" => "Calls by tool".to_owned(),
        "session" => "Tokens and cost by conversation".to_owned(),
        by => format!("Tokens and cost by {by}"),
    }
}

fn summary(reply: &Value, by: &str) -> String {
    match by {
        "tool" => text("sum of calls", reply),
        _ => text("sum of tokens", reply),
    }
}

fn legend(by: &str, image: &mut Elements) {
    let mut x = MARGIN;
    let costs = (by != "tool").then_some(("cost", "cost in US dollars"));
    for (class, name) in kinds(by).iter().copied().chain(costs) {
        image.bar((x, 66.0), (11.0, 11.0), class, name);
        image.text((x + 16.0, 76.0), TextAnchor::Start, "dim", name);
        x += 16.0 + width(name) as f64 * 6.4 + 18.0;
    }
}

struct Chart<'a> {
    by: &'a str,
    rows: usize,
    names: f64,
    values: Scale,
    /// Where the bars of costs start, and their scale; calls of tools cost nothing.
    costs: Option<(f64, Scale)>,
}

impl<'a> Chart<'a> {
    fn of(rows: &[Row], by: &'a str) -> Self {
        let longest = rows.iter().map(|row| width(&row.name)).max().unwrap_or(0);
        let names = MARGIN + longest.clamp(6, NAME) as f64 * CHARACTER + 10.0;
        let most = rows.iter().map(Row::sum).max().unwrap_or(0);
        let dearest = rows.iter().filter_map(|row| row.cost).fold(0.0, f64::max);
        let costs_at = WIDTH - MARGIN - NUMBER - COSTS;
        let costs = (by != "tool").then(|| (costs_at, Scale::of(dearest, 3, COSTS)));
        let end = match costs {
            Some(_) => costs_at - 12.0,
            None => WIDTH - MARGIN,
        };
        Self {
            by,
            rows: rows.len(),
            names,
            values: Scale::of(most as f64, 5, end - NUMBER - names),
            costs,
        }
    }

    fn bottom(&self) -> f64 {
        HEAD + self.rows.max(1) as f64 * ROW
    }

    /// Writes marks above and below the rows, and lines between them.
    fn axes(&self, image: &mut Elements) {
        let top = HEAD - 8.0;
        for tick in &self.values.ticks {
            let x = self.names + self.values.at(*tick);
            image.line((x, top), self.bottom());
            let text = mark(*tick);
            for y in [top - 4.0, self.bottom() + 14.0] {
                image.text((x, y), TextAnchor::Middle, "dim", &text);
            }
        }
        let Some((start, costs)) = &self.costs else {
            return;
        };
        for tick in &costs.ticks {
            let x = start + costs.at(*tick);
            image.line((x, top), self.bottom());
            let text = match tick {
                tick if *tick >= 10.0 || *tick == 0.0 => format!("${tick:.0}"),
                tick if *tick >= 0.1 => format!("${tick:.1}"),
                tick => format!("${tick}"),
            };
            for y in [top - 4.0, self.bottom() + 14.0] {
                image.text((x, y), TextAnchor::Middle, "dim", &text);
            }
        }
    }

    fn row(&self, row: &Row, y: f64, image: &mut Elements) {
        let baseline = y + BAR - 3.0;
        let name = cut_start(&row.name, NAME);
        image.text((self.names - 8.0, baseline), TextAnchor::End, "name", &name);
        let mut x = self.names;
        for ((class, kind), value) in kinds(self.by).iter().zip(&row.parts) {
            let width = self.values.at(*value as f64);
            if *value > 0 {
                image.bar((x, y), (width, BAR), class, &row.about(kind, *value));
            }
            x += width;
        }
        image.text(
            (x + 6.0, baseline),
            TextAnchor::Start,
            "number",
            &short(row.sum()),
        );
        if let Some((start, costs)) = &self.costs {
            let width = costs.at(row.cost.unwrap_or(0.0));
            if width > 0.0 {
                image.bar((*start, y), (width, BAR), "cost", &row.about_cost());
            }
            let at = (start + width + 6.0, baseline);
            image.text(at, TextAnchor::Start, "number", &row.cost_text());
        }
    }
}

/// Returns a mark of the axis: `2.5M`, without the digits that are 0.
fn mark(value: f64) -> String {
    let text = short(value as u64);
    match text.split_once('.') {
        Some((whole, rest)) => {
            let digits = rest.trim_end_matches(|c: char| !c.is_ascii_digit());
            let unit = &rest[digits.len()..];
            match digits.trim_end_matches('0') {
                "" => format!("{whole}{unit}"),
                digits => format!("{whole}.{digits}{unit}"),
            }
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reply() -> Value {
        let group = |key: &str, tokens: u64| {
            json!({
                "key": key, "usage": {"output_tokens": tokens, "cache_read_input_tokens": tokens * 3},
                "cost_usd": (tokens > 0).then_some(0.25),
            })
        };
        json!({"groups": [group("</text><script>\"&'\u{1b}[2J\u{ffff}", 1000), group("", 0)]})
    }

    #[test]
    fn marks_have_no_digits_that_say_nothing() {
        for (value, text) in [
            (0.0, "0"),
            (5e6, "5M"),
            (2.5e6, "2.5M"),
            (2e5, "200k"),
            (500.0, "500"),
        ] {
            assert_eq!(mark(value), text);
        }
    }

    #[test]
    fn a_row_has_its_kinds_its_sum_and_its_cost_and_every_text_is_escaped() {
        let image = stats_svg(&reply(), "model");
        for part in [
            ": 1,000 output</title>",
            ": 3,000 read from the cache</title>",
            ">4.00k</text>",
            ">$0.25</text>",
            "&lt;/text&gt;&lt;script&gt;&quot;&amp;&#39;",
        ] {
            assert!(image.contains(part), "{part}: {image}");
        }
        for left_out in [
            "written to the cache</title></rect>\n<rect x=\"24",
            "<script",
            "\u{1b}",
            "\u{ffff}",
        ] {
            assert!(!image.contains(left_out), "{left_out}: {image}");
        }
        // Nothing is loaded from elsewhere.
        assert_eq!(image.matches("http").count(), 1, "{image}");
        assert!(stats_svg(&reply(), "branch").contains(">(none)<"));
        let empty = stats_svg(&json!({}), "day");
        assert!(empty.contains("nothing in this scope"));
        assert!(!stats_svg(&reply(), "tool").contains("cost in US dollars"));
    }
}
