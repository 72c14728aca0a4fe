//! Tests of `test.run` against real programs.

mod left;
mod limits;
mod mock;
mod odd;
mod real;
pub(super) mod runs;
mod tapes;
