//! The font. It is part of the daemon, so an image is the same on all hosts.

use super::super::image::FONT_SIZE;
use super::pixels::Mask;
use std::collections::HashMap;
use ttf_parser::{Face, OutlineBuilder};
use zeno::{Command, Fill, PathBuilder as _, Transform};

/// How far an italic letter leans to the right, as a part of its height.
const SLANT: f32 = 0.2;

/// The font, with the characters that have been drawn so far, upright and italic.
pub(super) struct Font {
    face: Face<'static>,
    masks: HashMap<(char, bool), Option<Mask>>,
}

impl Font {
    /// Returns `None` if the font is broken.
    pub(super) fn new() -> Option<Self> {
        Some(Self {
            face: Face::parse(dejavu::sans_mono::regular(), 0).ok()?,
            masks: HashMap::new(),
        })
    }

    /// Returns the shape of a character relative to its start on the baseline; `None` if the font lacks it.
    pub(super) fn mask(&mut self, character: char, is_italic: bool) -> Option<&Mask> {
        let face = &self.face;
        let mask = self.masks.entry((character, is_italic));
        let mask = mask.or_insert_with(|| {
            let glyph = face.glyph_index(character)?;
            let mut outline = Outline::default();
            // A blank has no outline.
            face.outline_glyph(glyph, &mut outline);
            // In a font, y grows upwards.
            let scale = FONT_SIZE as f32 / f32::from(face.units_per_em());
            let slant = if is_italic { SLANT * scale } else { 0.0 };
            let transform = Transform::new(scale, 0.0, slant, -scale, 0.0, 0.0);
            Some(Mask::new(&*outline.0, Fill::NonZero, transform))
        });
        mask.as_ref()
    }
}

/// The outline of a character, in units of the font.
#[derive(Default)]
struct Outline(Vec<Command>);

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to((x, y));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to((x, y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to((x1, y1), (x, y));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.curve_to((x1, y1), (x2, y2), (x, y));
    }

    fn close(&mut self) {
        self.0.close();
    }
}
