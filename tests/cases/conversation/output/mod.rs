//! Conversations as files: a chart, a document, a page.

mod chart;
mod follow;
mod markdown;
mod open;
mod page;
