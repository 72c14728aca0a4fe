//! The markdown file: [`write()`] and [`parse()`], lossless both ways, by one table of its lines.

mod escape;
mod form;
mod parse;
mod task;
mod template;
#[cfg(test)]
pub(crate) mod tests;
mod write;

pub(crate) use escape::plain;
pub use parse::Parsed;
pub(crate) use parse::parse;
pub(crate) use write::write;
