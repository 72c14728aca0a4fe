//! Draws a screen as an image: one self-contained SVG document.

mod animation;
mod frame;
mod layer;
mod link;
mod picture;
mod text;

pub use animation::SvgAnimation;
pub use picture::draw_svg;

#[cfg(test)]
mod tests;
