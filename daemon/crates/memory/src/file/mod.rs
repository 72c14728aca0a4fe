//! The markdown file: [`write()`] and [`parse()`], lossless both ways.

mod escape;
mod line;
mod parse;
mod results;
mod sections;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use escape::plain;
pub use parse::{Parsed, parse};
pub use write::write;
