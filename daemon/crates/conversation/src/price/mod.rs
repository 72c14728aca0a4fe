//! What a response costs, by a dated table of prices.
//! The table is `prices.json` beside this file, or a file of the user's in the same form. A model that it does not have has
//! no price: a neighbour's would be a wrong figure that looks right.

mod model;
mod prices;
mod source;
mod table;
mod tokens;

#[cfg(test)]
mod cost_tests;
#[cfg(test)]
mod property_tests;

pub use prices::{Billed, Prices};
pub(crate) use source::Priced;
