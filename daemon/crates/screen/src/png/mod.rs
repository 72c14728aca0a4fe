//! Draws a screen as an image of pixels: a PNG, with one pixel per unit.

mod font;
mod picture;
mod pixels;

pub use picture::draw_png;

#[cfg(test)]
mod glyphs;
#[cfg(test)]
mod tests;
