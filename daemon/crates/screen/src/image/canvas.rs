//! What an image is drawn on.

use super::super::palette::Rgb;
use super::super::snapshot::Glyph;
use std::fmt::Arguments;

/// An image of one format. Positions and sizes are in its units, from the first cell on; `y` of a cell is a row of the
/// image; paths are in SVG's notation.
pub(crate) trait Canvas {
    /// Draws the background of a cell; before all else in its row.
    fn ground(&mut self, color: Rgb, glyph: &Glyph<'_>, y: u32);

    /// Fills a rectangle that meets others without a seam.
    fn area(&mut self, color: Rgb, x: f32, y: f32, width: f32, height: f32);

    /// Fills a rectangle that is as thick at any scale.
    fn line(&mut self, color: Rgb, x: f32, y: f32, width: f32, height: f32);

    fn fill(&mut self, color: Rgb, path: Arguments<'_>);

    fn stroke(&mut self, color: Rgb, path: Arguments<'_>);

    fn text(&mut self, color: Rgb, glyph: &Glyph<'_>, y: u32);

    /// Makes a cell clickable, in formats that can.
    fn link(&mut self, _: &Glyph<'_>, _: u32) {}

    /// Draws a cursor over its cell, as `[x, y, width, height]`.
    fn cursor(&mut self, color: Rgb, area: [u32; 4], is_hollow: bool);
}
