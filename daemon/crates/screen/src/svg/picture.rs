//! Assembles the SVG document.

use super::super::image::{
    CELL_HEIGHT, CELL_WIDTH, Canvas, Cells, FONT_SIZE, Frame, Paint, PictureTooLarge, drawn,
};
use super::super::palette::Rgb;
use super::super::snapshot::{Glyph, ScreenSnapshot};
use super::super::terminal::Attributes;
use super::frame::{RADIUS, write_bar, write_border};
use super::layer::{Layer, hex};
use super::link::Links;
use super::text::{BLINK, TextLook, Texts, push_escaped};
use ccd_protocol::image::ImageStyle;
use std::fmt::{Arguments, Write as _};
use std::ops::Range;

const MAX_BYTES: usize = 64 << 20;

/// Fixed-width fonts of all systems; none is ever downloaded.
pub(super) const FONTS: &str = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Noto Sans Mono','Noto Sans Mono CJK JP',monospace";

/// Returns these rows of `snapshot` as an SVG document with this title. Equal screens result in equal texts.
/// `is_hollow`: no input is possible any more, so the cursor is only outlined.
pub fn draw_svg(
    snapshot: &ScreenSnapshot,
    rows: &Range<u16>,
    title: &str,
    is_hollow: bool,
    style: &ImageStyle,
) -> Result<String, PictureTooLarge> {
    let cells = Cells::new(snapshot, is_hollow, style);
    let (rows, cols) = drawn(snapshot, rows, style);
    let mut picture = Picture::new(cells.default);
    for (row, y) in rows.clone().zip(0..) {
        picture.row(&cells, row, y);
        if picture.len_bytes() > MAX_BYTES {
            return Err(PictureTooLarge("64 MiB"));
        }
    }
    let frame = Frame::new(style);
    Ok(picture.document(title, frame, frame.size(rows.len() as u16, cols)))
}

/// Returns the contents of a row as elements at the position of the first row; empty if it is blank.
/// Text without a colour has the default one.
pub(super) fn draw_row(cells: &Cells<'_>, row: u16) -> String {
    let mut picture = Picture::new(cells.default);
    picture.row(cells, row, 0);
    picture.elements()
}

struct Picture {
    default: Paint,
    /// Backgrounds, in units of cells.
    grounds: Layer,
    /// Backgrounds that the next row may extend downwards.
    open: Vec<BackgroundRect>,
    row: Vec<BackgroundRect>,
    /// Areas that meet others without a seam.
    crisp: Layer,
    /// Lines of one thickness at any scale.
    smooth: Layer,
    /// Curves and diagonals, as lines.
    strokes: Layer,
    texts: Texts,
    links: Links,
    cursor: String,
}

#[derive(Clone, Copy)]
struct BackgroundRect {
    color: Rgb,
    col: u16,
    width: u16,
    y: u32,
    height: u32,
}

impl Canvas for Picture {
    fn ground(&mut self, color: Rgb, glyph: &Glyph<'_>, y: u32) {
        match self.row.last_mut() {
            Some(last) if last.color == color && last.col + last.width == glyph.col => {
                last.width += glyph.width;
            }
            _ => self.row.push(BackgroundRect {
                color,
                col: glyph.col,
                width: glyph.width,
                y,
                height: 1,
            }),
        }
    }

    fn area(&mut self, color: Rgb, x: f32, y: f32, width: f32, height: f32) {
        self.crisp.rect(color, x, y, width, height);
    }

    fn line(&mut self, color: Rgb, x: f32, y: f32, width: f32, height: f32) {
        self.smooth.rect(color, x, y, width, height);
    }

    fn fill(&mut self, color: Rgb, path: Arguments<'_>) {
        self.smooth.path(color, path);
    }

    fn stroke(&mut self, color: Rgb, path: Arguments<'_>) {
        self.strokes.path(color, path);
    }

    fn text(&mut self, color: Rgb, glyph: &Glyph<'_>, y: u32) {
        let look = TextLook {
            color,
            bold: glyph.has(Attributes::BOLD),
            italic: glyph.has(Attributes::ITALIC),
            blink: glyph.has(Attributes::BLINK),
        };
        let at = (y, glyph.col);
        self.texts.push(at, glyph.width, &glyph.text(), look);
    }

    fn link(&mut self, glyph: &Glyph<'_>, y: u32) {
        self.links.push(glyph, y);
    }

    fn cursor(&mut self, color: Rgb, area: [u32; 4], is_hollow: bool) {
        let ([x, y, width, height], color) = (area, hex(color));
        self.cursor = if is_hollow {
            let (width, height) = (width - 1, height - 1);
            format!(
                "<rect x=\"{x}.5\" y=\"{y}.5\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"{color}\"/>\n"
            )
        } else {
            format!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{color}\"/>\n"
            )
        };
    }
}

impl Picture {
    fn new(default: Paint) -> Self {
        Self {
            default,
            grounds: Layer::default(),
            open: Vec::new(),
            row: Vec::new(),
            crisp: Layer::default(),
            smooth: Layer::default(),
            strokes: Layer::default(),
            texts: Texts::new(default.ink),
            links: Links::default(),
            cursor: String::new(),
        }
    }

    fn row(&mut self, cells: &Cells<'_>, row: u16, y: u32) {
        cells.draw_row(row, y, self);
        let grounds = std::mem::take(&mut self.row);
        self.lay(grounds);
    }

    /// Adds the backgrounds of the next row, and joins them with those above where they fit.
    fn lay(&mut self, mut row: Vec<BackgroundRect>) {
        for above in std::mem::take(&mut self.open) {
            let place = |ground: &BackgroundRect| (ground.col, ground.width, ground.color);
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

    /// Returns the contents without the document, leaving out empty groups.
    fn elements(mut self) -> String {
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
        group("shape-rendering=\"crispEdges\"", &self.crisp, "fill");
        group("fill=\"none\"", &self.strokes, "stroke");
        self.smooth.write("fill", &mut out);
        self.texts.write(&mut out);
        out.push_str(&self.cursor);
        out
    }

    fn len_bytes(&self) -> usize {
        self.grounds.len_bytes()
            + self.crisp.len_bytes()
            + self.smooth.len_bytes()
            + self.strokes.len_bytes()
            + self.texts.len_bytes()
            + self.links.len_bytes()
    }

    fn document(mut self, title: &str, frame: Frame, (width, height): (u32, u32)) -> String {
        self.lay(Vec::new());
        let mut out = String::with_capacity(self.len_bytes() + 1024);
        let (left, top) = frame.corner();
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"{left} {top} {width} {height}\">\n<title>"
        );
        push_escaped(&mut out, title);
        out.push_str("</title>\n");
        if self.texts.blinks() {
            let _ = writeln!(out, "<style>{BLINK}</style>");
        }
        let corners = match frame.bar {
            0 => String::new(),
            _ => format!(" rx=\"{RADIUS}\""),
        };
        let _ = writeln!(
            out,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"{corners} fill=\"{}\"/>",
            hex(self.default.ground)
        );
        if frame.bar > 0 {
            let _ = writeln!(out, "<g transform=\"translate({left},{top})\">");
            write_bar(self.default, width, title, &mut out);
            write_border(self.default, (width, height), &mut out);
            out.push_str("</g>\n");
        }
        let _ = writeln!(
            out,
            "<g shape-rendering=\"crispEdges\">\n<g transform=\"scale({CELL_WIDTH} {CELL_HEIGHT})\">"
        );
        self.grounds.write("fill", &mut out);
        out.push_str("</g>\n");
        self.crisp.write("fill", &mut out);
        out.push_str("</g>\n");
        self.smooth.write("fill", &mut out);
        out.push_str("<g fill=\"none\">\n");
        self.strokes.write("stroke", &mut out);
        let _ = writeln!(
            out,
            "</g>\n<g font-family=\"{FONTS}\" font-size=\"{FONT_SIZE}\" fill=\"{}\" style=\"font-variant-ligatures:none\">",
            hex(self.default.ink)
        );
        self.texts.write(&mut out);
        let _ = write!(out, "</g>\n{}", self.cursor);
        self.links.write(&mut out);
        out.push_str("</svg>\n");
        out
    }
}
