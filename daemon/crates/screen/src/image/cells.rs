//! Draws cells and the cursor.

use super::super::palette::Palette;
use super::super::snapshot::{Glyph, ScreenSnapshot};
use super::super::terminal::Attributes;
use super::canvas::Canvas;
use super::lines::Lines;
use super::paint::Paint;
use super::{CELL_HEIGHT, CELL_WIDTH, boxes};
use ccd_protocol::image::ImageStyle;
use ccd_protocol::session::{Cursor, CursorShape};

const CURSOR_THICKNESS: u32 = 2;

pub(crate) struct Cells<'a> {
    snapshot: &'a ScreenSnapshot,
    palette: Palette,
    pub(crate) default: Paint,
    cursor: Option<Cursor>,
    is_hollow: bool,
}

impl<'a> Cells<'a> {
    /// `is_hollow`: no input is possible any more, so the cursor is only outlined.
    pub(crate) fn new(snapshot: &'a ScreenSnapshot, is_hollow: bool, style: &ImageStyle) -> Self {
        let palette = snapshot.palette.with_theme(style.theme.unwrap_or_default());
        Self {
            snapshot,
            default: Paint::default_of(&palette, snapshot.modes.reverse_video),
            palette,
            cursor: Some(snapshot.cursor()).filter(|cursor| cursor.visible),
            is_hollow,
        }
    }

    /// Draws a row of the screen as row `y` of the image.
    pub(crate) fn draw_row(&self, row: u16, y: u32, canvas: &mut impl Canvas) {
        let cursor = self.cursor.filter(|cursor| cursor.row == row);
        for glyph in self.snapshot.glyphs(row) {
            let paint = self.paint(cursor, &glyph);
            if paint.ground != self.default.ground {
                canvas.ground(paint.ground, &glyph, y);
            }
        }
        let mut lines = Lines::new(y);
        for glyph in self.snapshot.glyphs(row) {
            let paint = self.paint(cursor, &glyph);
            lines.push(&glyph, paint, &self.palette, canvas);
            canvas.link(&glyph, y);
            character(&glyph, paint, y, canvas);
        }
        lines.end(canvas);
        if let Some(cursor) = cursor {
            self.draw_cursor(cursor, y, canvas);
        }
    }

    fn paint(&self, cursor: Option<Cursor>, glyph: &Glyph<'_>) -> Paint {
        let paint = self.default.of(&glyph.cell.style, &self.palette);
        let is_inverted = |cursor: Cursor| {
            cursor.shape == CursorShape::Block
                && !self.is_hollow
                && glyph.cols().contains(&cursor.col)
        };
        if !cursor.is_some_and(is_inverted) {
            return paint;
        }
        let swapped = paint.swapped();
        Paint {
            ground: self.palette.cursor().unwrap_or(swapped.ground),
            ..swapped
        }
    }

    /// Draws a cursor over its cell; nothing if the cell has its colours swapped.
    fn draw_cursor(&self, cursor: Cursor, y: u32, canvas: &mut impl Canvas) {
        let mut glyphs = self.snapshot.glyphs(cursor.row);
        let glyph = glyphs.find(|glyph| glyph.cols().contains(&cursor.col));
        let (col, width) = glyph.map_or((cursor.col, 1), |glyph| (glyph.col, glyph.width));
        let (x, y) = (u32::from(col) * CELL_WIDTH, y * CELL_HEIGHT);
        let width = u32::from(width) * CELL_WIDTH;
        let area = match cursor.shape {
            _ if self.is_hollow => [x, y, width, CELL_HEIGHT],
            CursorShape::Block => return,
            CursorShape::Underline => [
                x,
                y + CELL_HEIGHT - CURSOR_THICKNESS,
                width,
                CURSOR_THICKNESS,
            ],
            CursorShape::Bar => [x, y, CURSOR_THICKNESS, CELL_HEIGHT],
        };
        let color = self.palette.cursor().unwrap_or(self.default.ink);
        canvas.cursor(color, area, self.is_hollow);
    }
}

fn character(glyph: &Glyph<'_>, paint: Paint, y: u32, canvas: &mut impl Canvas) {
    let cell = glyph.cell;
    let is_single = cell.combining().is_empty();
    if cell.character == ' ' && is_single || glyph.has(Attributes::HIDDEN) {
        return;
    }
    let corner = (u32::from(glyph.col) * CELL_WIDTH, y * CELL_HEIGHT);
    if !(is_single && boxes::draw(cell.character, corner, paint, canvas)) {
        canvas.text(paint.ink, glyph, y);
    }
}
