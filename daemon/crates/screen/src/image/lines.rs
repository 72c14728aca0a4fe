//! Lines under and through text.

use super::super::palette::{Palette, Rgb};
use super::super::snapshot::Glyph;
use super::super::terminal::{Attributes, Underline};
use super::canvas::Canvas;
use super::paint::{Paint, resolved};
use super::{CELL_HEIGHT, CELL_WIDTH};
use ccd_protocol::session::UnderlineStyle;
use std::ops::Range;

/// Distance of an underline's top from the bottom of its cell.
const UNDER_PX: u32 = 2;

/// Distance of a strikethrough's top from the top of its cell.
const THROUGH_PX: u32 = 9;

const DOT_PX: u32 = 3;

const DASH_PX: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinePosition {
    Under(Underline),
    Through,
}

#[derive(Debug)]
pub(super) struct Lines {
    y: u32,
    open: [Option<(LinePosition, Rgb, Range<u16>)>; 2],
}

impl Lines {
    pub(super) fn new(y: u32) -> Self {
        Self {
            y,
            open: [None, None],
        }
    }

    /// Continues the lines with a cell, or ends them before it.
    pub(super) fn push(
        &mut self,
        glyph: &Glyph<'_>,
        paint: Paint,
        palette: &Palette,
        canvas: &mut impl Canvas,
    ) {
        let is_shown = !glyph.has(Attributes::HIDDEN);
        let color = glyph.cell.underline_color();
        let color = color.map_or(paint.ink, |color| resolved(color, palette));
        let under = glyph.cell.style.underline;
        let under =
            (under != Underline::None && is_shown).then_some((LinePosition::Under(under), color));
        let is_struck = glyph.has(Attributes::STRIKETHROUGH) && is_shown;
        let through = is_struck.then_some((LinePosition::Through, paint.ink));
        for (open, new) in self.open.iter_mut().zip([under, through]) {
            match (&mut *open, new) {
                (Some((kind, color, cols)), Some(new)) if (*kind, *color) == new => {
                    cols.end = glyph.cols().end;
                }
                _ => {
                    let new = new.map(|(kind, color)| (kind, color, glyph.cols()));
                    if let Some((kind, color, cols)) = std::mem::replace(open, new) {
                        draw(kind, color, &cols, self.y, canvas);
                    }
                }
            }
        }
    }

    pub(super) fn end(self, canvas: &mut impl Canvas) {
        for (kind, color, cols) in self.open.into_iter().flatten() {
            draw(kind, color, &cols, self.y, canvas);
        }
    }
}

fn draw(kind: LinePosition, color: Rgb, cols: &Range<u16>, y: u32, canvas: &mut impl Canvas) {
    let [x, end] = [cols.start, cols.end].map(|col| u32::from(col) * CELL_WIDTH);
    let under = (y + 1) * CELL_HEIGHT - UNDER_PX;
    let mut line = |x: u32, top: u32, width: u32| {
        let (x, top, width) = (x as f32, top as f32, width as f32);
        canvas.line(color, x, top, width, 1.0);
    };
    match kind {
        LinePosition::Through => line(x, y * CELL_HEIGHT + THROUGH_PX, end - x),
        LinePosition::Under(Underline::Other(UnderlineStyle::Double)) => {
            line(x, under - 2, end - x);
            line(x, under, end - x);
        }
        LinePosition::Under(Underline::Other(UnderlineStyle::Dotted)) => {
            (x..end)
                .step_by(DOT_PX as usize)
                .for_each(|x| line(x, under, 1));
        }
        LinePosition::Under(Underline::Other(UnderlineStyle::Dashed)) => {
            let starts = (x..end).step_by(CELL_WIDTH as usize);
            starts.for_each(|x| line(x, under, DASH_PX));
        }
        LinePosition::Under(Underline::Other(UnderlineStyle::Curly)) => {
            let starts = (x..end).step_by(CELL_WIDTH as usize);
            starts.for_each(|x| {
                canvas.stroke(color, format_args!("M{x},{under}q2.25,-4 4.5,0t4.5,0"))
            });
        }
        LinePosition::Under(Underline::Single | Underline::None) => line(x, under, end - x),
    }
}
