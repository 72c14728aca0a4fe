//! One cell of the screen.

use alacritty_terminal::grid::GridCell;
use alacritty_terminal::term::cell::{Flags, ResetDiscriminant};
use bitflags::bitflags;
use ccd_protocol::session::{CellStyle, Color, UnderlineStyle};
use std::sync::Arc;

/// Most bytes of combining characters in one cell; further ones are dropped.
const MAX_COMBINING_BYTES: usize = 32;

bitflags! {
    /// What a cell has besides colours and underline.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Attributes: u8 {
        const BOLD = 1;
        const DIM = 1 << 1;
        const ITALIC = 1 << 2;
        const BLINK = 1 << 3;
        const INVERSE = 1 << 4;
        const HIDDEN = 1 << 5;
        const STRIKETHROUGH = 1 << 6;
        /// DECSCA: selective erasing leaves the cell alone.
        const PROTECTED = 1 << 7;
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Underline {
    #[default]
    None,
    Single,
    Other(UnderlineStyle),
}

/// The style of a cell, except the parts in [`Extra`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) fg: Option<Color>,
    pub(crate) bg: Option<Color>,
    pub(crate) attributes: Attributes,
    pub(crate) underline: Underline,
}

/// What few cells have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extra {
    /// Characters without a width that belong to the character of the cell.
    pub(crate) combining: String,
    pub(crate) underline_color: Option<Color>,
    pub(crate) link: Option<Arc<str>>,
}

/// A cell of the screen, in 24 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) character: char,
    pub(crate) style: Style,
    /// Only those flags that concern wide characters and wrapped rows are used.
    pub(crate) flags: Flags,
    pub(crate) extra: Option<Arc<Extra>>,
}

impl Default for Cell {
    fn default() -> Self {
        Self {
            character: ' ',
            style: Style::default(),
            flags: Flags::empty(),
            extra: None,
        }
    }
}

impl Cell {
    #[inline]
    pub(crate) fn blank(bg: Option<Color>) -> Self {
        let style = Style {
            bg,
            ..Style::default()
        };
        Self {
            style,
            ..Self::default()
        }
    }

    pub(crate) fn is_wide(&self) -> bool {
        self.flags.contains(Flags::WIDE_CHAR)
    }

    /// Returns whether this is the second half of a wide character.
    pub(crate) fn is_second_half(&self) -> bool {
        self.flags.contains(Flags::WIDE_CHAR_SPACER)
    }

    /// Returns whether the cell was left blank because a wide character did not fit in it.
    pub(crate) fn is_gap(&self) -> bool {
        self.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER)
    }

    /// Returns whether the cell looks as if nothing was ever written to it.
    pub(crate) fn is_untouched(&self) -> bool {
        self.character == ' ' && self.style == Style::default() && self.extra.is_none()
    }

    /// Returns whether the cell has no text.
    pub(crate) fn is_blank(&self) -> bool {
        self.character == ' ' && self.combining().is_empty()
    }

    pub(crate) fn combining(&self) -> &str {
        self.extra.as_ref().map_or("", |extra| &extra.combining)
    }

    pub(crate) fn push_text(&self, out: &mut String) {
        out.push(self.character);
        out.push_str(self.combining());
    }

    pub(crate) fn underline_color(&self) -> Option<Color> {
        self.extra.as_ref()?.underline_color
    }

    pub(crate) fn link(&self) -> Option<&Arc<str>> {
        self.extra.as_ref()?.link.as_ref()
    }

    pub(crate) fn has_style_of(&self, other: &Self) -> bool {
        self.style == other.style
            && (self.extra.is_none() && other.extra.is_none()
                || self.underline_color() == other.underline_color() && self.link() == other.link())
    }

    pub(crate) fn combine(&mut self, character: char) {
        let extra = Arc::make_mut(self.extra.get_or_insert_default());
        if extra.combining.len() + character.len_utf8() <= MAX_COMBINING_BYTES {
            extra.combining.push(character);
        }
    }

    pub(crate) fn set_underline_color(&mut self, color: Option<Color>) {
        self.change_extra(|extra| extra.underline_color = color);
    }

    pub(crate) fn set_link(&mut self, link: Option<Arc<str>>) {
        self.change_extra(|extra| extra.link = link);
    }

    fn change_extra(&mut self, change: impl FnOnce(&mut Extra)) {
        let mut extra = self
            .extra
            .take()
            .map_or_else(Extra::default, Arc::unwrap_or_clone);
        change(&mut extra);
        self.extra = (extra != Extra::default()).then(|| Arc::new(extra));
    }

    /// Blanks one half of a wide character whose other half goes; the style stays.
    pub(crate) fn blank_half(&mut self) {
        self.character = ' ';
        self.flags
            .remove(Flags::WIDE_CHAR | Flags::WIDE_CHAR_SPACER);
        if !self.combining().is_empty() {
            self.change_extra(|extra| extra.combining.clear());
        }
    }

    pub(crate) fn protocol_style(&self) -> CellStyle {
        let Style {
            fg,
            bg,
            attributes,
            underline,
        } = self.style;
        CellStyle {
            fg,
            bg,
            bold: attributes.contains(Attributes::BOLD),
            dim: attributes.contains(Attributes::DIM),
            italic: attributes.contains(Attributes::ITALIC),
            underline: underline != Underline::None,
            underline_style: match underline {
                Underline::Other(style) => Some(style),
                Underline::None | Underline::Single => None,
            },
            underline_color: self.underline_color(),
            blink: attributes.contains(Attributes::BLINK),
            inverse: attributes.contains(Attributes::INVERSE),
            hidden: attributes.contains(Attributes::HIDDEN),
            strikethrough: attributes.contains(Attributes::STRIKETHROUGH),
            link: self.link().map(|link| link.to_string()),
        }
    }
}

impl GridCell for Cell {
    #[inline]
    fn is_empty(&self) -> bool {
        self.is_untouched() && self.flags.is_empty()
    }

    #[inline]
    fn reset(&mut self, template: &Self) {
        *self = Self::blank(template.style.bg);
    }

    #[inline]
    fn flags(&self) -> &Flags {
        &self.flags
    }

    #[inline]
    fn flags_mut(&mut self) -> &mut Flags {
        &mut self.flags
    }
}

/// The part of a template that decides how a row is reset.
impl ResetDiscriminant<Option<Color>> for Cell {
    fn discriminant(&self) -> Option<Color> {
        self.style.bg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_small() {
        assert_eq!(size_of::<Cell>(), 24);
    }

    #[test]
    fn combining_characters_are_bounded() {
        let mut cell = Cell::default();
        (0..1000).for_each(|_| cell.combine('\u{301}'));
        assert_eq!(cell.combining().len(), MAX_COMBINING_BYTES);
    }
}
