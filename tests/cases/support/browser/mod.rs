//! Chromium without a window, in which a test opens a page.

pub(crate) mod chromium;
mod key;
pub(crate) mod page;
mod problem;

pub(crate) use page::Page;
