//! The methods for the tapes of a directory, one file per method. All functions block: call them where that is allowed.

mod bring;
mod check;
mod clean;
mod error;
mod folder;
mod list;
mod prune;
mod show;

pub use bring::bring;
pub use check::check;
pub use clean::clean;
pub use error::FilesError;
pub use folder::{LoadedTape, TapeFolder};
pub use list::list;
pub use prune::{forget, prune};
pub use show::show;
