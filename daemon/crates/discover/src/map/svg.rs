//! Maps as pictures.

use super::layout::{self, Arrow, Placed, label_width};
use crate::markup::escaped;
use ccd_protocol::investigate::StateMap;
use std::fmt::Write as _;

const STYLE: &str = "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328}\
.name{font-weight:600}.prompt{fill:#0a6640}.label{font-size:11.5px;fill:#57606a}\
.state{fill:#f6f8fa;stroke:#8c959f}.entry{stroke:#0969da;stroke-width:2}\
.arrow{fill:none;stroke:#8c959f;stroke-width:1.3}.behind{fill:#fff;fill-opacity:.9}";

/// Draws a map; it uses no other file and no script.
pub(super) fn write(map: &StateMap) -> String {
    let layout = layout::of(map);
    let (width, height) = (layout.width.max(200), layout.height.max(60));
    let title = escaped(&crate::markup::visible(&map.program));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>States of {title}</title>\n<style>{STYLE}</style>\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8z\" fill=\"#8c959f\"/></marker></defs>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    layout
        .arrows
        .iter()
        .for_each(|arrow| curve(arrow, &mut svg));
    layout
        .boxes
        .iter()
        .for_each(|placed| state(placed, &mut svg));
    layout
        .arrows
        .iter()
        .for_each(|arrow| label(arrow, &mut svg));
    if layout.boxes.is_empty() {
        svg.push_str("<text x=\"30\" y=\"36\">no states</text>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

// Writing to a text cannot fail.
fn curve(arrow: &Arrow, svg: &mut String) {
    let [from, first, second, to] = arrow.points;
    let _ = writeln!(
        svg,
        "<path class=\"arrow\" marker-end=\"url(#head)\" d=\"M{} {}C{} {} {} {} {} {}\"/>",
        from.x, from.y, first.x, first.y, second.x, second.y, to.x, to.y
    );
}

fn state(placed: &Placed, svg: &mut String) {
    let Placed {
        x,
        y,
        width,
        height,
        ..
    } = *placed;
    let entry = if placed.is_entry { " entry" } else { "" };
    let _ = writeln!(
        svg,
        "<rect class=\"state{entry}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>"
    );
    let middle = y + height / 2;
    let name_y = middle + if placed.prompt.is_some() { -4 } else { 5 };
    text("name", x + 12, name_y, "start", &placed.name, svg);
    if let Some(prompt) = &placed.prompt {
        text("prompt", x + 12, middle + 15, "start", prompt, svg);
    }
}

fn label(arrow: &Arrow, svg: &mut String) {
    if arrow.label.is_empty() {
        return;
    }
    let width = label_width(&arrow.label);
    let _ = writeln!(
        svg,
        "<rect class=\"behind\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"16\"/>",
        arrow.at.x - width / 2,
        arrow.at.y - 8
    );
    text(
        "label",
        arrow.at.x,
        arrow.at.y + 4,
        "middle",
        &arrow.label,
        svg,
    );
}

fn text(class: &str, x: i32, y: i32, anchor: &str, text: &str, svg: &mut String) {
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(text)
    );
}
