//! The font. It is part of the daemon, so an image is the same on all hosts.

use super::super::image::FONT_SIZE;
use super::pixels::Mask;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::pen::SvgPen;
use skrifa::outline::{DrawSettings, HintingInstance, HintingOptions};
use skrifa::{FontRef, MetadataProvider as _};
use std::collections::HashMap;
use zeno::{Fill, Transform};

/// How far an italic letter leans to the right, as a part of its height.
const SLANT: f32 = 0.2;

/// The font, with the characters that have been drawn so far, upright and italic.
pub(super) struct Font {
    font: FontRef<'static>,
    /// Fits outlines to whole pixels; without it, small text is blurred.
    hinting: HintingInstance,
    masks: HashMap<(char, bool), Option<Mask>>,
}

impl Font {
    /// Returns `None` if the font is broken.
    pub(super) fn new() -> Option<Self> {
        let font = FontRef::new(dejavu::sans_mono::regular()).ok()?;
        let (outlines, size) = (font.outline_glyphs(), Size::new(FONT_SIZE as f32));
        let options = HintingOptions::default();
        let hinting = HintingInstance::new(&outlines, size, LocationRef::default(), options);
        Some(Self {
            font,
            hinting: hinting.ok()?,
            masks: HashMap::new(),
        })
    }

    /// Returns the shape of a character relative to its start on the baseline; `None` if the font lacks it.
    pub(super) fn mask(&mut self, character: char, is_italic: bool) -> Option<&Mask> {
        let (font, hinting) = (&self.font, &self.hinting);
        let mask = self.masks.entry((character, is_italic));
        let mask = mask.or_insert_with(|| {
            let glyph = font.outline_glyphs().get(font.charmap().map(character)?)?;
            let mut path = SvgPen::new();
            glyph
                .draw(DrawSettings::hinted(hinting, false), &mut path)
                .ok()?;
            // In a font, y grows upwards.
            let slant = if is_italic { SLANT } else { 0.0 };
            let transform = Transform::new(1.0, 0.0, slant, -1.0, 0.0, 0.0);
            Some(Mask::new(path.as_ref(), Fill::NonZero, transform))
        });
        mask.as_ref()
    }
}
