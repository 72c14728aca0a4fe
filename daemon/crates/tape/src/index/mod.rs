//! The index of a directory of tapes: it finds the exchange that answers, by the state of the program and the input.
//! An [`Index`] never changes; when files do, it is replaced by another that shares the unchanged parts. Of a file it
//! contains only the keys. Output is kept in the file and found by its offset.

mod build;
mod cache;
mod change;
mod explain;
mod find;
mod fits;
mod hit;
mod nearest;
mod problem;
mod read;
mod table;
mod tape;
mod walk;

#[cfg(test)]
mod change_tests;
#[cfg(test)]
mod explain_tests;
#[cfg(test)]
mod find_tests;
#[cfg(test)]
mod test_tapes;

pub use cache::Cache;
pub(crate) use cache::rules_in_force;
pub(crate) use explain::shown_input;
pub use explain::{Miss, beginning, ending};
pub use find::{Duplicate, Index};
pub use fits::Fits;
pub use hit::Hit;
pub use nearest::Lookup;
pub(crate) use problem::ReadError;
pub use tape::{IndexedTape, Stamp, TapeId};
pub use walk::SUFFIX;
pub use walk::{id_of, walk};
