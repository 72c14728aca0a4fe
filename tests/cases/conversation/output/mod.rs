//! Conversations as files: a chart, a document, a page.

mod chart;
mod markdown;
mod open;
mod page;
