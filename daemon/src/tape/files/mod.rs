//! What is asked of the tapes of a folder, one file a method.
//!
//! All of it blocks: call it where that is allowed.

mod bring;
mod check;
mod clean;
mod error;
mod list;
mod prune;
mod show;
mod which;

pub(crate) use bring::bring;
pub(crate) use check::check;
pub(crate) use clean::clean;
pub(crate) use error::FilesError;
pub(crate) use list::list;
pub(crate) use prune::prune;
pub(crate) use show::show;
pub(crate) use which::{Folder, Loaded};
