//! The terminal in which a program runs: its screen, its modes, and its answers to queries.
//!
//! Layers, top first; none uses one before it: `shown` → `scrolling`, `viewport`, `png`, `svg` → `model`, `image` →
//! `repaint`, `pen`, `scanner`, `snapshot`, `strip` → `terminal`, `query` → `modes`, `charsets`, `keyboard`, `palette`,
//! `slice` → `theme`.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::print_stderr,
        reason = "tests fail by panicking and print what they skip"
    )
)]

mod charsets;
mod image;
mod keyboard;
mod model;
mod modes;
pub mod palette;
mod pen;
mod png;
mod query;
mod repaint;
mod scanner;
mod scrolling;
mod shown;
mod slice;
mod snapshot;
mod strip;
mod svg;
mod terminal;
mod theme;
mod viewport;

pub use image::PictureTooLarge;
pub use model::Screen;
pub use modes::Modes;
pub use png::draw_png;
pub use query::{Query, answer, needs_cursor};
pub use scanner::{AskedQuery, Scanner};
pub use scrolling::{RowPosition, ScrollingScreen};
pub use shown::{ShownText, shown, shown_start};
pub use snapshot::ScreenSnapshot;
pub use strip::QueryStripper;
pub use svg::{SvgAnimation, draw_svg};
pub use viewport::Viewport;
