//! What images of a screen have in common, whatever their format: cells, colours, lines, shapes.

mod boxes;
mod canvas;
mod cells;
mod frame;
mod lines;
mod paint;

pub(crate) use canvas::Canvas;
pub(crate) use cells::Cells;
pub(crate) use frame::{BAR_HEIGHT, DOTS, Frame, TITLE_SIZE, drawn, fitted};
pub(crate) use paint::Paint;

/// Width and height of a cell, and the position of text in it, in the image's units.
pub(crate) const CELL_WIDTH: u32 = 9;
pub(crate) const CELL_HEIGHT: u32 = 18;
pub(crate) const BASELINE: u32 = 14;
pub(crate) const FONT_SIZE: u32 = 15;

#[derive(Debug, PartialEq, Eq)]
pub struct PictureTooLarge(pub &'static str);
