//! What surrounds the cells: padding, and a window's title bar.

use super::super::palette::Rgb;
use super::super::snapshot::ScreenSnapshot;
use super::{CELL_HEIGHT, CELL_WIDTH};
use ccd_protocol::image::ImageStyle;
use std::ops::Range;

const PADDING: u16 = 8;
pub(crate) const BAR_HEIGHT: u32 = 32;
pub(crate) const TITLE_SIZE: u32 = 13;

/// Centres and colours of the dots in the title bar, from its corner.
pub(crate) const DOTS: [(u32, Rgb); 3] = [
    (20, (0xff, 0x5f, 0x57)),
    (40, (0xfe, 0xbc, 0x2e)),
    (60, (0x28, 0xc8, 0x40)),
];

/// Space that the title leaves on both sides.
const TITLE_MARGIN: u32 = 76;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) padding: u32,
    /// Height of the title bar; 0 without a window.
    pub(crate) bar: u32,
}

impl Frame {
    pub(crate) fn new(style: &ImageStyle) -> Self {
        Self {
            padding: style.padding.unwrap_or(PADDING).into(),
            bar: if style.window { BAR_HEIGHT } else { 0 },
        }
    }

    /// Returns width and height of an image of so many cells, in its units.
    pub(crate) fn size(self, rows: u16, cols: u16) -> (u32, u32) {
        (
            u32::from(cols) * CELL_WIDTH + 2 * self.padding,
            u32::from(rows) * CELL_HEIGHT + 2 * self.padding + self.bar,
        )
    }

    /// Returns the corner of the image, seen from the first cell.
    pub(crate) fn corner(self) -> (i64, i64) {
        let (padding, bar) = (i64::from(self.padding), i64::from(self.bar));
        (-padding, -padding - bar)
    }
}

/// Returns `title` as far as it fits into the title bar of an image of this width.
pub(crate) fn fitted(title: &str, width: u32) -> String {
    let most = (width.saturating_sub(2 * TITLE_MARGIN) / CELL_WIDTH) as usize;
    if title.chars().count() <= most {
        return title.to_owned();
    }
    let kept: String = title.chars().take(most.saturating_sub(1)).collect();
    if kept.is_empty() { kept } else { kept + "…" }
}

/// Returns the rows to draw, and how many columns: with `crop` without the empty ones at the end.
pub(crate) fn drawn(
    snapshot: &ScreenSnapshot,
    rows: &Range<u16>,
    style: &ImageStyle,
) -> (Range<u16>, u16) {
    if !style.crop {
        return (rows.clone(), snapshot.size().1);
    }
    let (used, cols) = snapshot.used(rows);
    (rows.start..used.max(rows.start + 1), cols.max(1))
}
