//! Reports on disk: a directory of JSON files for each kind of report. They stay until somebody deletes them.
//! All functions block: call them where that is allowed.

mod error;
mod file;
mod folder;
#[cfg(test)]
mod folder_tests;
mod kind;
mod name;

pub use error::ReportError;
pub use file::Saved;
pub use folder::{Listed, Removed, Reports};
pub use kind::Report;
