//! Draws a screen as an image: one self-contained SVG document.

mod boxes;
mod film;
mod layer;
mod lines;
mod link;
mod paint;
mod picture;
mod text;

pub use film::Film;
pub use picture::{PictureTooLarge, draw};

/// Width and height of a cell, and the position of text in it, in the image's units.
const CELL_WIDTH: u32 = 9;
const CELL_HEIGHT: u32 = 18;
const BASELINE: u32 = 14;
const FONT_SIZE: u32 = 15;

#[cfg(test)]
mod tests;
