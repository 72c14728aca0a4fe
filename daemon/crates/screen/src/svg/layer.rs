//! Shapes, collected by colour.

use super::super::palette::Rgb;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Minimum length that another colour adds to the image.
const COLOR_BYTES: usize = 32;

/// Path data by colour: one element per colour, however many shapes it has.
#[derive(Debug, Default)]
pub(super) struct Layer {
    paths: BTreeMap<Rgb, String>,
    len_bytes: usize,
}

impl Layer {
    pub(super) fn rect(&mut self, color: Rgb, x: f32, y: f32, width: f32, height: f32) {
        self.path(color, format_args!("M{x},{y}h{width}v{height}h-{width}z"));
    }

    pub(super) fn path(&mut self, color: Rgb, data: std::fmt::Arguments<'_>) {
        let path = self.paths.entry(color).or_insert_with(|| {
            self.len_bytes += COLOR_BYTES;
            String::new()
        });
        let before = path.len();
        // Writing to a String cannot fail.
        let _ = path.write_fmt(data);
        self.len_bytes += path.len() - before;
    }

    pub(super) fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    /// Writes one element per colour, with the colour as `attribute`.
    pub(super) fn write(&self, attribute: &str, out: &mut String) {
        for (color, path) in &self.paths {
            let _ = writeln!(out, "<path {attribute}=\"{}\" d=\"{path}\"/>", hex(*color));
        }
    }
}

pub(super) fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
