//! An animation of several screens as one document.

use super::super::image::{CELL_HEIGHT, Cells, FONT_SIZE, Frame, Paint, drawn};
use super::super::snapshot::ScreenSnapshot;
use super::frame::{RADIUS, write_bar, write_border};
use super::layer::hex;
use super::picture::{FONTS, draw_row};
use super::text::{BLINK, push_escaped};
use ccd_protocol::image::ImageStyle;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Approximate length that a row of a frame adds besides its contents.
const USE_BYTES: usize = 40;

/// Frames one below the other on a strip, which an animation pulls past a window, as in a cinema.
/// A row that several frames show is stored once. All frames have the size of the first.
pub struct SvgAnimation {
    style: ImageStyle,
    /// Numbers of rows by their contents.
    numbers: HashMap<String, usize>,
    pictures: Vec<Picture>,
    /// Size of the first frame, as rows and columns.
    size: (u16, u16),
    /// Rows and columns that some frame uses.
    used: (u16, u16),
    /// Colours of the first frame.
    paint: Paint,
    len_bytes: usize,
}

struct Picture {
    at_ms: u64,
    paint: Paint,
    /// Rows that are not blank, with the number of their contents.
    rows: Vec<(u16, usize)>,
}

impl SvgAnimation {
    pub fn new(style: ImageStyle) -> Self {
        Self {
            style,
            numbers: HashMap::new(),
            pictures: Vec::new(),
            size: (0, 0),
            used: (1, 1),
            paint: Paint::default(),
            len_bytes: 0,
        }
    }

    /// Adds a frame that is shown from this time on, unless the previous one is equal.
    pub fn push(&mut self, at_ms: u64, snapshot: &ScreenSnapshot) {
        let cells = Cells::new(snapshot, false, &self.style);
        let paint = cells.default;
        if self.pictures.is_empty() {
            (self.size, self.paint) = (snapshot.size(), paint);
        }
        let (used, cols) = drawn(snapshot, &(0..snapshot.size().0), &self.style);
        self.used = (self.used.0.max(used.end), self.used.1.max(cols));
        let mut rows = Vec::new();
        for row in 0..self.size.0 {
            let shown = draw_row(&cells, row);
            if shown.is_empty() {
                continue;
            }
            let next = self.numbers.len();
            if let Some(number) = self.numbers.get(&shown) {
                rows.push((row, *number));
            } else {
                self.len_bytes += shown.len() + USE_BYTES;
                self.numbers.insert(shown, next);
                rows.push((row, next));
            }
        }
        let is_same = |last: &Picture| (last.paint, &last.rows) == (paint, &rows);
        if self.pictures.last().is_some_and(is_same) {
            return;
        }
        self.len_bytes += (rows.len() + 3) * USE_BYTES;
        self.pictures.push(Picture { at_ms, paint, rows });
    }

    pub fn frames(&self) -> usize {
        self.pictures.len()
    }

    pub fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    /// Returns an SVG document with this title that shows the frames in a loop, the last one until `end_ms`.
    /// A viewer that does not animate, or whose user prefers reduced motion, shows the last frame.
    pub fn document(&self, title: &str, end_ms: u64) -> String {
        let frame = Frame::new(&self.style);
        let rows = self.size.0.min(self.used.0);
        let (width, height) = frame.size(rows, self.size.1.min(self.used.1));
        // The window, without its bar, is as high as a frame.
        let step = height - frame.bar;
        let last = self.pictures.len().saturating_sub(1) * step as usize;
        let mut out = String::with_capacity(self.len_bytes + 4096);
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title>"
        );
        push_escaped(&mut out, title);
        let _ = writeln!(out, "</title>\n<style>\n{BLINK}");
        self.animation(step, end_ms, &mut out);
        out.push_str("</style>\n<defs>\n");
        self.rows(&mut out);
        out.push_str("</defs>\n");
        if frame.bar > 0 {
            let _ = writeln!(
                out,
                "<clipPath id=\"window\"><rect width=\"{width}\" height=\"{height}\" rx=\"{RADIUS}\"/></clipPath>\n<g clip-path=\"url(#window)\">"
            );
        }
        // In a document of its own, nothing else clips what is outside the frame.
        let _ = writeln!(
            out,
            "<svg y=\"{}\" width=\"{width}\" height=\"{step}\" overflow=\"hidden\">\n\
             <g class=\"film\" transform=\"translate(0,-{last})\" font-family=\"{FONTS}\" font-size=\"{FONT_SIZE}\" fill=\"{}\" style=\"font-variant-ligatures:none\">",
            frame.bar,
            hex(self.paint.ink)
        );
        for (picture, top) in self.pictures.iter().zip((0..).step_by(step as usize)) {
            self.picture(picture, top, (width, step), &mut out);
        }
        out.push_str("</g>\n</svg>\n");
        if frame.bar > 0 {
            out.push_str("</g>\n");
            write_bar(self.paint, width, title, &mut out);
            write_border(self.paint, (width, height), &mut out);
        }
        out.push_str("</svg>\n");
        out
    }

    fn animation(&self, height: u32, end_ms: u64, out: &mut String) {
        if self.pictures.len() < 2 {
            return;
        }
        let end_ms = end_ms.max(1);
        let _ = writeln!(
            out,
            "@media (prefers-reduced-motion:no-preference){{.film{{animation:play {}.{:03}s steps(1,end) infinite}}}}\n@keyframes play{{",
            end_ms / 1000,
            end_ms % 1000
        );
        for (index, picture) in self.pictures.iter().enumerate() {
            let percent = picture.at_ms as f64 * 100.0 / end_ms as f64;
            let top = index * height as usize;
            let _ = writeln!(out, "{percent:.6}%{{transform:translate(0,-{top}px)}}");
        }
        out.push_str("}\n");
    }

    fn rows(&self, out: &mut String) {
        let mut rows: Vec<(&String, &usize)> = self.numbers.iter().collect();
        rows.sort_by_key(|(_, number)| **number);
        for (shown, number) in rows {
            let _ = writeln!(out, "<g id=\"r{number}\">\n{shown}</g>");
        }
    }

    fn picture(&self, picture: &Picture, top: usize, size: (u32, u32), out: &mut String) {
        let (ground, (width, height)) = (hex(picture.paint.ground), size);
        let _ = writeln!(
            out,
            "<rect y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>"
        );
        let padding = Frame::new(&self.style).padding;
        let top = top + padding as usize;
        let _ = write!(out, "<g transform=\"translate({padding},{top})\"");
        if picture.paint.ink != self.paint.ink {
            let _ = write!(out, " fill=\"{}\"", hex(picture.paint.ink));
        }
        out.push('>');
        for (row, number) in &picture.rows {
            let y = u32::from(*row) * CELL_HEIGHT;
            let _ = write!(out, "<use href=\"#r{number}\"");
            if y > 0 {
                let _ = write!(out, " y=\"{y}\"");
            }
            out.push_str("/>");
        }
        out.push_str("</g>\n");
    }
}
