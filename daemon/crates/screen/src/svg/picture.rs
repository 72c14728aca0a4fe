//! Assembles the SVG document.

use super::super::palette::Rgb;
use super::super::still::{Glyph, Still};
use super::super::terminal::Attributes;
use super::boxes::Shapes;
use super::layer::{Layer, hex};
use super::lines::Lines;
use super::link::Links;
use super::paint::Paint;
use super::text::{BLINK, Look, Texts, push_escaped};
use super::{CELL_HEIGHT, CELL_WIDTH, FONT_SIZE};
use ccd_protocol::session::{Cursor, CursorShape};
use std::fmt::Write as _;
use std::ops::Range;

/// Maximum length of an image.
const MAX_BYTES: usize = 64 << 20;

/// Margin around the cells.
pub(super) const MARGIN: u32 = 8;

/// Fixed-width fonts of all systems; none is ever downloaded.
pub(super) const FONTS: &str = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Noto Sans Mono','Noto Sans Mono CJK JP',monospace";

const CURSOR_THICKNESS: u32 = 2;

/// The image would be longer than 64 MiB.
#[derive(Debug, PartialEq, Eq)]
pub struct PictureTooLarge;

/// Returns these rows of `still` as an SVG document with this title. Equal screens result in equal texts.
///
/// `is_hollow`: no input is possible any more, so the cursor is only outlined.
///
/// # Errors
///
/// [`PictureTooLarge`].
pub fn draw(
    still: &Still,
    rows: &Range<u16>,
    title: &str,
    is_hollow: bool,
) -> Result<String, PictureTooLarge> {
    let cursor = Some(still.cursor()).filter(|at| at.visible && rows.contains(&at.row));
    let mut picture = Picture::new(still, cursor, is_hollow);
    for (row, y) in rows.clone().zip(0..) {
        picture.row(row, y);
        if picture.len_bytes() > MAX_BYTES {
            return Err(PictureTooLarge);
        }
    }
    let cursor = cursor.map_or_else(String::new, |at| {
        picture.cursor(at, u32::from(at.row - rows.start), is_hollow)
    });
    let size = (
        u32::from(still.size().1) * CELL_WIDTH + 2 * MARGIN,
        rows.len() as u32 * CELL_HEIGHT + 2 * MARGIN,
    );
    Ok(picture.document(title, size, &cursor))
}

/// Returns the contents of a row as elements at the position of the first row; empty if it is blank.
///
/// Text without a colour has the default one.
pub(super) fn draw_row(still: &Still, row: u16) -> String {
    let cursor = Some(still.cursor()).filter(|at| at.visible && at.row == row);
    let mut picture = Picture::new(still, cursor, false);
    picture.row(row, 0);
    let cursor = cursor.map_or_else(String::new, |at| picture.cursor(at, 0, false));
    picture.elements(&cursor)
}

/// The image so far.
struct Picture<'a> {
    still: &'a Still,
    default: Paint,
    /// A cursor that swaps the colours of its cell.
    inverted: Option<Cursor>,
    /// Backgrounds, in units of cells.
    grounds: Layer,
    /// Backgrounds that the next row may extend downwards.
    open: Vec<Ground>,
    shapes: Shapes,
    texts: Texts,
    links: Links,
}

/// A rectangle of one background.
#[derive(Clone, Copy)]
struct Ground {
    color: Rgb,
    col: u16,
    width: u16,
    y: u32,
    height: u32,
}

impl<'a> Picture<'a> {
    fn new(still: &'a Still, cursor: Option<Cursor>, is_hollow: bool) -> Self {
        let default = Paint::default_of(still);
        Self {
            still,
            default,
            inverted: cursor.filter(|at| !is_hollow && at.shape == CursorShape::Block),
            grounds: Layer::default(),
            open: Vec::new(),
            shapes: Shapes::default(),
            texts: Texts::new(default.ink),
            links: Links::default(),
        }
    }

    fn row(&mut self, row: u16, y: u32) {
        let mut grounds: Vec<Ground> = Vec::new();
        let mut lines = Lines::new(y);
        for glyph in self.still.glyphs(row) {
            let paint = self.paint(row, &glyph);
            if paint.ground != self.default.ground {
                widen(&mut grounds, &glyph, paint.ground, y);
            }
            lines.push(&glyph, paint, self.still, &mut self.shapes);
            self.links.push(&glyph, y);
            self.character(&glyph, paint, y);
        }
        lines.end(&mut self.shapes);
        self.lay(grounds);
    }

    fn paint(&self, row: u16, glyph: &Glyph<'_>) -> Paint {
        let paint = Paint::of(&glyph.cell.style, self.still);
        let cols = glyph.cols();
        let is_under_cursor = |cursor: Cursor| cursor.row == row && cols.contains(&cursor.col);
        if !self.inverted.is_some_and(is_under_cursor) {
            return paint;
        }
        let swapped = paint.swapped();
        Paint {
            ground: self.still.palette.cursor().unwrap_or(swapped.ground),
            ..swapped
        }
    }

    fn character(&mut self, glyph: &Glyph<'_>, paint: Paint, y: u32) {
        let text = glyph.text();
        if text == " " || glyph.has(Attributes::HIDDEN) {
            return;
        }
        let corner = (u32::from(glyph.col) * CELL_WIDTH, y * CELL_HEIGHT);
        let is_single = glyph.cell.combining().is_empty();
        if is_single && self.shapes.draw(glyph.cell.character, corner, paint) {
            return;
        }
        let look = Look {
            color: paint.ink,
            bold: glyph.has(Attributes::BOLD),
            italic: glyph.has(Attributes::ITALIC),
            blink: glyph.has(Attributes::BLINK),
        };
        self.texts.push((y, glyph.col), glyph.width, &text, look);
    }

    /// Adds the backgrounds of the next row, and joins them with those above where they fit.
    fn lay(&mut self, mut row: Vec<Ground>) {
        for above in std::mem::take(&mut self.open) {
            let place = |ground: &Ground| (ground.col, ground.width, ground.color);
            let below = row.binary_search_by_key(&above.col, |below| below.col);
            match below.ok().map(|at| &mut row[at]) {
                Some(below) if place(below) == place(&above) => {
                    (below.y, below.height) = (above.y, above.height + 1);
                }
                _ => self.grounds.rect(
                    above.color,
                    f32::from(above.col),
                    above.y as f32,
                    f32::from(above.width),
                    above.height as f32,
                ),
            }
        }
        self.open = row;
    }

    /// Returns a cursor that is drawn over its cell; nothing if the cell has its colours swapped.
    fn cursor(&self, cursor: Cursor, row: u32, is_hollow: bool) -> String {
        let mut glyphs = self.still.glyphs(cursor.row);
        let glyph = glyphs.find(|glyph| glyph.cols().contains(&cursor.col));
        let (col, width) = glyph.map_or((cursor.col, 1), |glyph| (glyph.col, glyph.width));
        let (x, y) = (u32::from(col) * CELL_WIDTH, row * CELL_HEIGHT);
        let width = u32::from(width) * CELL_WIDTH;
        let color = hex(self.still.palette.cursor().unwrap_or(self.default.ink));
        match cursor.shape {
            _ if is_hollow => format!(
                "<rect x=\"{x}.5\" y=\"{y}.5\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{color}\"/>\n",
                width - 1,
                CELL_HEIGHT - 1
            ),
            CursorShape::Block => String::new(),
            CursorShape::Underline => format!(
                "<rect x=\"{x}\" y=\"{}\" width=\"{width}\" height=\"{CURSOR_THICKNESS}\" fill=\"{color}\"/>\n",
                y + CELL_HEIGHT - CURSOR_THICKNESS
            ),
            CursorShape::Bar => format!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{CURSOR_THICKNESS}\" height=\"{CELL_HEIGHT}\" fill=\"{color}\"/>\n"
            ),
        }
    }

    /// Returns the contents without the document, leaving out empty groups.
    fn elements(mut self, cursor: &str) -> String {
        self.lay(Vec::new());
        let mut out = String::new();
        let mut group = |attributes: &str, layer: &Layer, paint: &str| {
            if layer.len_bytes() > 0 {
                // Writing to a String cannot fail.
                let _ = writeln!(out, "<g {attributes}>");
                layer.write(paint, &mut out);
                out.push_str("</g>\n");
            }
        };
        let grounds = format!(
            "shape-rendering=\"crispEdges\" transform=\"scale({CELL_WIDTH} {CELL_HEIGHT})\""
        );
        group(&grounds, &self.grounds, "fill");
        group("shape-rendering=\"crispEdges\"", &self.shapes.crisp, "fill");
        group("fill=\"none\"", &self.shapes.strokes, "stroke");
        self.shapes.smooth.write("fill", &mut out);
        self.texts.write(&mut out);
        out.push_str(cursor);
        out
    }

    fn len_bytes(&self) -> usize {
        self.grounds.len_bytes()
            + self.shapes.len_bytes()
            + self.texts.len_bytes()
            + self.links.len_bytes()
    }

    fn document(mut self, title: &str, (width, height): (u32, u32), cursor: &str) -> String {
        self.lay(Vec::new());
        let mut out = String::with_capacity(self.len_bytes() + 1024);
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"-{MARGIN} -{MARGIN} {width} {height}\">\n<title>"
        );
        push_escaped(&mut out, title);
        out.push_str("</title>\n");
        if self.texts.blinks() {
            let _ = writeln!(out, "<style>{BLINK}</style>");
        }
        let _ = writeln!(
            out,
            "<rect x=\"-{MARGIN}\" y=\"-{MARGIN}\" width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
            hex(self.default.ground)
        );
        let _ = writeln!(
            out,
            "<g shape-rendering=\"crispEdges\">\n<g transform=\"scale({CELL_WIDTH} {CELL_HEIGHT})\">"
        );
        self.grounds.write("fill", &mut out);
        out.push_str("</g>\n");
        self.shapes.crisp.write("fill", &mut out);
        out.push_str("</g>\n");
        self.shapes.smooth.write("fill", &mut out);
        out.push_str("<g fill=\"none\">\n");
        self.shapes.strokes.write("stroke", &mut out);
        let _ = writeln!(
            out,
            "</g>\n<g font-family=\"{FONTS}\" font-size=\"{FONT_SIZE}\" fill=\"{}\" style=\"font-variant-ligatures:none\">",
            hex(self.default.ink)
        );
        self.texts.write(&mut out);
        let _ = write!(out, "</g>\n{cursor}");
        self.links.write(&mut out);
        out.push_str("</svg>\n");
        out
    }
}

/// Adds the background of a cell to that of its row.
fn widen(grounds: &mut Vec<Ground>, glyph: &Glyph<'_>, color: Rgb, y: u32) {
    match grounds.last_mut() {
        Some(last) if last.color == color && last.col + last.width == glyph.col => {
            last.width += glyph.width;
        }
        _ => grounds.push(Ground {
            color,
            col: glyph.col,
            width: glyph.width,
            y,
            height: 1,
        }),
    }
}
