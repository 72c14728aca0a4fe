//! The index of a folder of tapes: from where a program is, and what was typed, to the exchange that answers.
//!
//! An [`Index`] never changes; when files do, another one takes its place that shares with it what is the same. Of a
//! file it keeps what is looked up. Output stays where it is, as an offset.

mod build;
mod cache;
mod change;
mod explain;
mod find;
mod fits;
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
mod figures;
#[cfg(test)]
mod find_tests;
#[cfg(test)]
mod test_tapes;

pub use cache::Cache;
pub use explain::{Miss, beginning, ending};
pub use find::{Duplicate, Index};
pub use fits::{Fits, Hit};
pub use nearest::Asked;
pub use tape::{IndexedTape, Stamp, TapeId};
pub use walk::SUFFIX;
pub use walk::{id_of, walk};
