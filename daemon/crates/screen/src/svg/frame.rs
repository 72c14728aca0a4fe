//! A window around the screen.

use super::super::image::{BAR_HEIGHT, DOTS, Paint, TITLE_SIZE, fitted};
use super::layer::hex;
use super::text::push_escaped;
use std::fmt::Write as _;

pub(super) const RADIUS: u32 = 8;

/// Writes the title bar of a window of this width, whose corner is at 0, 0. All colours lie between `paint`'s two.
pub(super) fn write_bar(paint: Paint, width: u32, title: &str, out: &mut String) {
    let (flat, straight) = (width.saturating_sub(2 * RADIUS), BAR_HEIGHT - RADIUS);
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "<path fill=\"{}\" d=\"M0,{BAR_HEIGHT}v-{straight}a{RADIUS},{RADIUS} 0 0 1 {RADIUS},-{RADIUS}h{flat}a{RADIUS},{RADIUS} 0 0 1 {RADIUS},{RADIUS}v{straight}z\"/>",
        hex(paint.mixed(88))
    );
    let middle = BAR_HEIGHT / 2;
    for (x, color) in DOTS {
        let _ = writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{middle}\" r=\"6\" fill=\"{}\"/>",
            hex(color)
        );
    }
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-family=\"system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif\" font-size=\"{TITLE_SIZE}\" fill=\"{}\">",
        f64::from(width) / 2.0,
        middle + TITLE_SIZE / 3,
        hex(paint.mixed(35))
    );
    push_escaped(out, &fitted(title, width));
    out.push_str("</text>\n");
}

/// Writes the border of a window of this size, which sets it apart from a page of the same colour.
pub(super) fn write_border(paint: Paint, (width, height): (u32, u32), out: &mut String) {
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "<rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"{RADIUS}\" fill=\"none\" stroke=\"{}\"/>",
        width - 1,
        height - 1,
        hex(paint.mixed(75))
    );
}
