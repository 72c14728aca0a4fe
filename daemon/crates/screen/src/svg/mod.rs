//! Draws a screen as an image: one self-contained SVG document.

mod film;
mod layer;
mod link;
mod picture;
mod text;

pub use film::SvgAnimation;
pub use picture::draw_svg;

#[cfg(test)]
mod tests;
