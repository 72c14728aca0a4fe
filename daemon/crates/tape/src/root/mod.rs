//! Directories of tapes in use: each with an index that is kept up to date, and counts of how often tapes are played.

mod folder;
#[cfg(test)]
mod folder_tests;
mod roots;
#[cfg(test)]
mod roots_tests;
mod usage;

pub(crate) use folder::CATCH_UP;
pub use folder::{Root, RootError};
pub use roots::Roots;
pub use usage::{UsageError, UsageStore, Used};
