//! The terminal that a program believes it talks to: what it shows, what it was set to, what it answers.

mod charsets;
mod csi;
mod dialect;
mod keyboard;
mod model;
mod modes;
pub(crate) mod palette;
mod query;
mod repaint;
mod scanner;
mod splitter;
mod still;
mod strip;
mod svg;
mod viewport;

pub(crate) use model::Screen;
pub(crate) use modes::Modes;
pub(crate) use query::{Query, answer, needs_cursor};
pub(crate) use scanner::{Event, EventKind, Scanner};
pub(crate) use still::Still;
pub(crate) use strip::QueryStripper;
pub(crate) use svg::{Film, PictureTooLarge, draw};
pub(crate) use viewport::Viewport;
