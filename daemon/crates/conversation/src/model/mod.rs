//! Records into what they mean together.
//! [`Records`] takes lines in any order, and knows for each what it says but not its content, which stays in the file.
//! [`Model`] is derived from all of them in the order of their places, so it does not depend on the order in which they
//! were taken.

mod derive;
mod inline;
mod records;
mod runs;
mod tree;
mod usage;

#[cfg(test)]
mod fixture_tests;
#[cfg(test)]
mod property_tests;

pub use derive::{Model, Pair, Turn};
pub(crate) use inline::{Inline, InlineAgents, prompt_of_call};
pub use records::{Call, LineLocation, Outcome, Record, Records, Role};
pub use runs::Runs;
pub(crate) use runs::add as add_use;
pub use tree::{Node, Tree};
pub use usage::Totals;
pub(crate) use usage::add as add_tokens;
