//! Assembles the PNG, one row of cells at a time.

use super::super::image::{
    BASELINE, CELL_HEIGHT, CELL_WIDTH, Canvas, Cells, DOTS, Frame, Paint, PictureTooLarge, drawn,
    fitted,
};
use super::super::palette::Rgb;
use super::super::snapshot::{Glyph, ScreenSnapshot};
use super::super::terminal::Attributes;
use super::font::Font;
use super::pixels::{Mask, Pixels};
use ccd_protocol::image::ImageStyle;
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
    title: &str,
    is_hollow: bool,
    style: &ImageStyle,
) -> Result<Vec<u8>, PictureTooLarge> {
    let (rows, cols) = drawn(snapshot, rows, style);
    let frame = Frame::new(style);
    let (width, height) = frame.size(rows.len() as u16, cols);
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(TOO_LARGE);
    }
    let cells = Cells::new(snapshot, is_hollow, style);
    // Memory takes all bytes and a test reads the font, so nothing but the size can be wrong.
    encode(&cells, rows, title, frame, (width, height)).map_err(|_| TOO_LARGE)
}

fn encode(
    cells: &Cells<'_>,
    rows: Range<u16>,
    title: &str,
    frame: Frame,
    (width, height): (u32, u32),
) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    // Text becomes no smaller by a filter, and hardly by a higher level.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_deflate_compression(png::DeflateCompression::Level(1));
    let mut writer = encoder.write_header()?;
    let mut image = writer.stream_writer()?;
    let mut strip = RowImage {
        pixels: Pixels::new(width, CELL_HEIGHT),
        font: Font::new()?,
        left: frame.padding as f32,
    };
    if frame.bar > 0 {
        let bar = title_bar(&strip.font, cells.default, title, (width, frame.bar));
        image.write_all(&bar.bytes)?;
    }
    let mut margin = Pixels::new(width, frame.padding);
    margin.clear(cells.default.ground);
    image.write_all(&margin.bytes)?;
    for row in rows {
        strip.pixels.clear(cells.default.ground);
        cells.draw_row(row, 0, &mut strip);
        image.write_all(&strip.pixels.bytes)?;
    }
    image.write_all(&margin.bytes)?;
    image.finish()?;
    writer.finish()?;
    Ok(out)
}

/// Draws the title bar of a window; its corners are not rounded, because the image has no transparent pixels.
fn title_bar(font: &Font, paint: Paint, title: &str, (width, height): (u32, u32)) -> Pixels {
    let mut pixels = Pixels::new(width, height);
    pixels.clear(paint.mixed(88));
    for (x, color) in DOTS {
        let path = format!("M{},{}a6,6 0 1 0 12,0a6,6 0 1 0 -12,0z", x - 6, height / 2);
        let mask = Mask::new(&path, Fill::NonZero, Transform::IDENTITY);
        pixels.shape(color, &mask, (0, 0));
    }
    let title = fitted(title, width);
    let start = (width - title.chars().count() as u32 * CELL_WIDTH) / 2;
    for (character, x) in title.chars().zip((start..).step_by(CELL_WIDTH as usize)) {
        if let Some(mask) = font.mask(character, false) {
            let baseline = height / 2 + BASELINE / 3;
            pixels.shape(paint.mixed(35), &mask, (x as i32, baseline as i32));
        }
    }
    pixels
}

/// One row of cells. What a character has above or below its cell is cut off.
struct RowImage {
    pixels: Pixels,
    font: Font,
    /// Where the first cell starts.
    left: f32,
}

impl Canvas for RowImage {
    fn ground(&mut self, color: Rgb, glyph: &Glyph<'_>, _: u32) {
        let (x, width) = columns(glyph);
        self.area(color, x, 0.0, width, CELL_HEIGHT as f32);
    }

    fn area(&mut self, color: Rgb, x: f32, y: f32, width: f32, height: f32) {
        self.pixels.rect(color, x + self.left, y, width, height);
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
        let start = x + (width - CELL_WIDTH as f32) / 2.0 + self.left;
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
        let transform = Transform::translation(self.left, 0.0);
        let mask = Mask::new(&path.to_string(), style, transform);
        self.pixels.shape(color, &mask, (0, 0));
    }
}

/// Returns start and width of a cell.
fn columns(glyph: &Glyph<'_>) -> (f32, f32) {
    let [x, width] = [glyph.col, glyph.width].map(|cols| f32::from(cols) * CELL_WIDTH as f32);
    (x, width)
}
