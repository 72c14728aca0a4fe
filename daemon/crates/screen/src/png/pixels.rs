//! Pixels of three bytes, and shapes that are drawn on them.

use super::super::palette::Rgb;
use zeno::{Placement, Style, Transform};

/// How much of each pixel a shape covers, up to 255.
pub(super) struct Mask {
    pub(super) coverage: Vec<u8>,
    pub(super) placement: Placement,
}

impl Mask {
    /// `path` is in SVG's notation.
    pub(super) fn new(path: &str, style: impl Into<Style<'static>>, transform: Transform) -> Self {
        let mut mask = zeno::Mask::new(path);
        let (coverage, placement) = mask.style(style).transform(Some(transform)).render();
        Self {
            coverage,
            placement,
        }
    }
}

/// Lines of pixels: red, green and blue.
pub(super) struct Pixels {
    pub(super) bytes: Vec<u8>,
    line_len: usize,
}

impl Pixels {
    pub(super) fn new(width: u32, height: u32) -> Self {
        let line_len = width as usize * 3;
        Self {
            bytes: vec![0; line_len * height as usize],
            line_len,
        }
    }

    pub(super) fn clear(&mut self, (red, green, blue): Rgb) {
        let (pixels, _) = self.bytes.as_chunks_mut();
        pixels.fill([red, green, blue]);
    }

    /// Fills a rectangle, whose borders are moved to whole pixels.
    pub(super) fn rect(&mut self, color: Rgb, x: f32, y: f32, width: f32, height: f32) {
        let [left, top, right, bottom] =
            [x, y, x + width, y + height].map(|border| border.round() as usize);
        let lines = self.bytes.chunks_exact_mut(self.line_len);
        for line in lines.take(bottom).skip(top) {
            let (pixels, _) = line.as_chunks_mut();
            pixels[left..right].fill([color.0, color.1, color.2]);
        }
    }

    /// Draws a shape at this place; what is outside is cut off.
    pub(super) fn shape(&mut self, color: Rgb, mask: &Mask, (x, y): (i32, i32)) {
        let Placement {
            left, top, width, ..
        } = mask.placement;
        let (left, top) = (x + left, y + top);
        // Rows and columns of the shape that are before the first of the image.
        let [above, before] = [top, left].map(|start| (-start).max(0) as usize);
        let lines = self.bytes.chunks_exact_mut(self.line_len);
        let lines = lines.skip(top.max(0) as usize);
        let rows = mask.coverage.chunks_exact(width.max(1) as usize);
        for (line, row) in lines.zip(rows.skip(above)) {
            let (pixels, _) = line.as_chunks_mut::<3>();
            let pixels = pixels.iter_mut().skip(left.max(0) as usize);
            for (pixel, coverage) in pixels.zip(row.iter().skip(before)) {
                let coverage = u32::from(*coverage);
                for (ground, ink) in pixel.iter_mut().zip([color.0, color.1, color.2]) {
                    let sum = u32::from(ink) * coverage + u32::from(*ground) * (255 - coverage);
                    *ground = (sum / 255) as u8;
                }
            }
        }
    }
}
