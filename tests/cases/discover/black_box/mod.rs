//! Tests of `test.run` against real programs.

mod ending;
mod mock;
mod odd;
mod real;
mod runs;
