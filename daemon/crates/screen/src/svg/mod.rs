//! A screen as a picture: one SVG document that needs nothing else.

mod boxes;
mod film;
mod layer;
mod paint;
mod picture;
mod text;

pub use film::Film;
pub use picture::{PictureTooLarge, draw};

/// Width and height of a cell, and where in it the text stands, in the picture's units.
const CELL_WIDTH: u32 = 9;
const CELL_HEIGHT: u32 = 18;
const BASELINE: u32 = 14;
const FONT_SIZE: u32 = 15;

#[cfg(test)]
mod tests;
