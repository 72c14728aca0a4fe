//! Program configurations.

pub(crate) mod documents;
mod secrets;
mod start;
