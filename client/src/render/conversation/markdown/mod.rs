//! A conversation as one Markdown document.
//! Everything that was said is quoted, and everything that tools returned is fenced, so that no text can pose as another
//! part of the document. `document` writes its parts in order; `quote` and `render::inline` make texts harmless.

mod call;
mod document;
mod quote;
mod sheet;

pub(crate) use document::markdown;
