//! The colours of a cell.

use super::super::palette::{Palette, Rgb};
use super::super::terminal::{Attributes, Style};
use ccd_protocol::session::Color;

/// How much of the background shows through dim text, in percent.
const DIM_PERCENT: u32 = 40;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Paint {
    /// Of text and lines.
    pub(crate) ink: Rgb,
    pub(crate) ground: Rgb,
}

impl Paint {
    /// Returns the colours of cells that have none of their own.
    pub(super) fn default_of(palette: &Palette, is_reverse: bool) -> Self {
        let paint = Self {
            ink: palette.foreground(),
            ground: palette.background(),
        };
        if is_reverse { paint.swapped() } else { paint }
    }

    /// Returns the colours of cells with this style, where `self` are those of cells that have none of their own.
    pub(super) fn of(self, style: &Style, palette: &Palette) -> Self {
        let has = |attribute| style.attributes.contains(attribute);
        let resolve = |color| resolved(color, palette);
        let is_bold_bright = palette.theme().is_bold_bright;
        let fg = match style.fg {
            Some(Color::Indexed(index @ 0..8)) if has(Attributes::BOLD) && is_bold_bright => {
                Some(Color::Indexed(index + 8))
            }
            fg => fg,
        };
        let mut paint = Self {
            ink: fg.map_or(self.ink, resolve),
            ground: style.bg.map_or(self.ground, resolve),
        };
        if has(Attributes::INVERSE) {
            paint = paint.swapped();
        }
        if has(Attributes::DIM) {
            paint.ink = paint.mixed(DIM_PERCENT);
        }
        paint
    }

    pub(super) fn swapped(self) -> Self {
        Self {
            ink: self.ground,
            ground: self.ink,
        }
    }

    pub(crate) fn mixed(self, percent: u32) -> Rgb {
        let mix = |ink: u8, ground: u8| {
            ((u32::from(ink) * (100 - percent) + u32::from(ground) * percent) / 100) as u8
        };
        let ((red, green, blue), ground) = (self.ink, self.ground);
        (
            mix(red, ground.0),
            mix(green, ground.1),
            mix(blue, ground.2),
        )
    }
}

pub(super) fn resolved(color: Color, palette: &Palette) -> Rgb {
    match color {
        Color::Indexed(index) => palette.color(index),
        Color::Rgb(red, green, blue) => (red, green, blue),
    }
}
