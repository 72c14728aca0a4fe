//! The markdown file: [`write()`] and [`parse()`], lossless both ways, by one table of its lines.

mod escape;
mod form;
mod parse;
mod task;
mod template;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use escape::plain;
pub use parse::{Parsed, parse};
pub use write::write;
