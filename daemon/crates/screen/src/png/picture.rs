//! Assembles the PNG, one row of cells at a time.

use super::super::image::{
    BASELINE, CELL_HEIGHT, CELL_WIDTH, Canvas, Cells, MARGIN, PictureTooLarge, image_size,
};
use super::super::palette::Rgb;
use super::super::snapshot::{Glyph, ScreenSnapshot};
use super::super::terminal::Attributes;
use super::font::Font;
use super::pixels::{Mask, Pixels};
use std::fmt::Arguments;
use std::io::Write as _;
use std::ops::Range;
use zeno::{Fill, Stroke, Style, Transform};

/// Maximum number of pixels: a screen of 300 rows and 320 columns.
const MAX_PIXELS: u64 = 16_000_000;
const TOO_LARGE: PictureTooLarge = PictureTooLarge("16 million pixels");

/// Returns these rows of `snapshot` as a PNG. A character that the font lacks is drawn as a box.
/// `is_hollow`: no input is possible any more, so the cursor is only outlined.
pub fn draw_png(
    snapshot: &ScreenSnapshot,
    rows: &Range<u16>,
    is_hollow: bool,
) -> Result<Vec<u8>, PictureTooLarge> {
    let (width, height) = image_size(rows.len() as u16, snapshot.size().1);
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(TOO_LARGE);
    }
    let cells = Cells::new(snapshot, is_hollow);
    // Memory takes all bytes and a test reads the font, so nothing but the size can be wrong.
    encode(&cells, rows, width, height).map_err(|_| TOO_LARGE)
}

fn encode(
    cells: &Cells<'_>,
    rows: &Range<u16>,
    width: u32,
    height: u32,
) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    // Text becomes no smaller by a filter, and hardly by a higher level.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_deflate_compression(png::DeflateCompression::Level(1));
    let mut writer = encoder.write_header()?;
    let mut image = writer.stream_writer()?;
    let mut margin = Pixels::new(width, MARGIN);
    margin.clear(cells.default.ground);
    image.write_all(&margin.bytes)?;
    let mut strip = RowImage {
        pixels: Pixels::new(width, CELL_HEIGHT),
        font: Font::new()?,
    };
    for row in rows.clone() {
        strip.pixels.clear(cells.default.ground);
        cells.draw_row(row, 0, &mut strip);
        image.write_all(&strip.pixels.bytes)?;
    }
    image.write_all(&margin.bytes)?;
    image.finish()?;
    writer.finish()?;
    Ok(out)
}

/// One row of cells. What a character has above or below its cell is cut off.
struct RowImage {
    pixels: Pixels,
    font: Font,
}

impl Canvas for RowImage {
    fn ground(&mut self, color: Rgb, glyph: &Glyph<'_>, _: u32) {
        let (x, width) = columns(glyph);
        self.area(color, x, 0.0, width, CELL_HEIGHT as f32);
    }

    fn area(&mut self, color: Rgb, x: f32, y: f32, width: f32, height: f32) {
        self.pixels.rect(color, x + MARGIN as f32, y, width, height);
    }

    fn line(&mut self, color: Rgb, x: f32, y: f32, width: f32, height: f32) {
        self.area(color, x, y, width, height);
    }

    fn fill(&mut self, color: Rgb, path: Arguments<'_>) {
        self.path(color, path, Fill::NonZero);
    }

    fn stroke(&mut self, color: Rgb, path: Arguments<'_>) {
        self.path(color, path, Stroke::new(1.0));
    }

    fn text(&mut self, color: Rgb, glyph: &Glyph<'_>, _: u32) {
        let (x, width) = columns(glyph);
        let is_italic = glyph.has(Attributes::ITALIC);
        // All characters of the font are narrow; a terminal may have reserved two columns.
        let start = x + (width - CELL_WIDTH as f32) / 2.0 + MARGIN as f32;
        for (index, character) in glyph.text().chars().enumerate() {
            match self.font.mask(character, is_italic) {
                Some(mask) => {
                    // Bold letters are drawn twice, side by side.
                    for offset in 0..=i32::from(glyph.has(Attributes::BOLD)) {
                        let at = (start as i32 + offset, BASELINE as i32);
                        self.pixels.shape(color, &mask, at);
                    }
                }
                None if index == 0 => self.outline(color, [x + 1.0, 3.0, width - 2.0, 12.0]),
                // A combining character is seldom needed to read the other.
                None => {}
            }
        }
    }

    fn cursor(&mut self, color: Rgb, area: [u32; 4], is_hollow: bool) {
        let [x, y, width, height] = area.map(|number| number as f32);
        if is_hollow {
            self.outline(color, [x, y, width, height]);
        } else {
            self.area(color, x, y, width, height);
        }
    }
}

impl RowImage {
    fn outline(&mut self, color: Rgb, [x, y, width, height]: [f32; 4]) {
        self.area(color, x, y, width, 1.0);
        self.area(color, x, y + height - 1.0, width, 1.0);
        self.area(color, x, y, 1.0, height);
        self.area(color, x + width - 1.0, y, 1.0, height);
    }

    fn path(&mut self, color: Rgb, path: Arguments<'_>, style: impl Into<Style<'static>>) {
        let transform = Transform::translation(MARGIN as f32, 0.0);
        let mask = Mask::new(&path.to_string(), style, transform);
        self.pixels.shape(color, &mask, (0, 0));
    }
}

/// Returns start and width of a cell.
fn columns(glyph: &Glyph<'_>) -> (f32, f32) {
    let [x, width] = [glyph.col, glyph.width].map(|cols| f32::from(cols) * CELL_WIDTH as f32);
    (x, width)
}
