//! The page of a conversation for a browser, and the page that lists many: one file each, with data, style and script.
//!
//! What a reader sees of a turn is made here, once; the script of the page only folds, filters and searches.
//!
//! Layers, top first; none uses one before it: `contents`, `part` → `frame`, `turn` → `tools` → `prose` → `lines` → `colour` →
//! `markup` → `private`, `shown`, `value`.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

mod colour;
mod contents;
mod frame;
mod lines;
mod markup;
mod part;
mod private;
mod prose;
mod shown;
mod tools;
mod turn;
mod value;

pub use contents::contents;
pub use part::{PageAbout, Parts};
pub use private::Private;
pub use turn::PageTurn;
