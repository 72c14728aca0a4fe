//! Tests of investigations and black-box tests.

mod black_box;
mod mock;
mod reports;
